import { type Action, useAction } from "./action";

export interface FormAction extends Action {
  /** For the form's element. */
  readonly onSubmit: (event: Event) => void;
}

/** A form whose sending does `work`: at work it is not sent again, and how it failed is kept for `FormEnd` to say. */
export function useForm(work: () => Promise<void>): FormAction {
  const action = useAction();
  return {
    ...action,
    onSubmit: (event) => {
      event.preventDefault();
      void action.run(work);
    },
  };
}
