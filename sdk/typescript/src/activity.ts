/** What a chat page may draw beside the result: a chart, a map. */
export interface Activity {
  readonly type: string;
  readonly content: unknown;
}

/** A handler's result together with its activity. Made by `withActivity` only. */
export class ResultWithActivity<Result> {
  constructor(
    readonly result: Result,
    readonly activity: Activity,
  ) {}
}

/** Return this from a handler to send `activity` beside `result`. */
export function withActivity<Result>(result: Result, activity: Activity): ResultWithActivity<Result> {
  return new ResultWithActivity(result, activity);
}
