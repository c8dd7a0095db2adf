import { useEffect, useState } from "preact/hooks";
import { get, path, query, request } from "../shared/api";
import { useForm } from "../shared/form";
import type { HeldKey } from "../shared/keys";
import { Link, navigate } from "../shared/router";
import { Badge } from "../shared/ui/Badge";
import { Button } from "../shared/ui/Button";
import { Confirm } from "../shared/ui/Confirm";
import { Dialog } from "../shared/ui/Dialog";
import { Fault } from "../shared/ui/Fault";
import { Field } from "../shared/ui/Field";
import { FormEnd } from "../shared/ui/FormEnd";
import { Seen } from "../shared/ui/Seen";
import { Time } from "../shared/ui/Time";
import { toast } from "../shared/ui/Toast";
import { type Head, type HeadPage, NONE, renamed, withFirst, withNext, without } from "./heads";
import type { ThreadView } from "./loop";

const PAGE = 20;
const LOOK_MS = 15_000;
const SOON_MS = 150;
const WORDS: Record<ThreadView["state"], string | undefined> = { idle: undefined, running: "at work", waiting_client: "asks you", waiting_approval: "waits for approval" };

interface Props {
  readonly held: HeldKey;
  readonly current: string;
  /** Rises when something happened in the current thread. */
  readonly changes: number;
}

/** The conversations of the person with the agent, newest first. */
export function Threads({ held, current, changes }: Props) {
  const [{ heads, cursor }, setHeads] = useState(NONE);
  const [fault, setFault] = useState<unknown>();
  const [turn, setTurn] = useState(0);
  const [renaming, setRenaming] = useState<Head>();
  const [deleting, setDeleting] = useState<Head>();
  const load = async (from: string | undefined, signal?: AbortSignal): Promise<void> => {
    try {
      const page = await get<HeadPage>(query("/v1/threads", { limit: PAGE, cursor: from }), { key: held, signal });
      setFault(undefined);
      setHeads((before) => (from === undefined ? withFirst(before, page) : withNext(before, from, page)));
    } catch (thrown) {
      if (!signal?.aborted) setFault(thrown);
    }
  };
  useEffect(() => {
    const abort = new AbortController();
    // Several changes in a row are one question.
    const soon = setTimeout(() => void load(undefined, abort.signal), SOON_MS);
    const timer = setInterval(() => document.visibilityState === "visible" && void load(undefined, abort.signal), LOOK_MS);
    return () => {
      abort.abort();
      clearTimeout(soon);
      clearInterval(timer);
    };
  }, [held.id, changes, turn]);
  return (
    <nav class="stack threads" aria-label="Conversations">
      <div class="row spread">
        <h2>Conversations</h2>
        <Link href="/chat" class="button small primary">
          New
        </Link>
      </div>
      {fault !== undefined && <Fault fault={fault} again={() => setTurn((before) => before + 1)} />}
      {heads.length === 0 && fault === undefined && <p class="quiet small">Nothing was said yet.</p>}
      <ul class="list">
        {heads.map((head) => (
          <li key={head.thread} class="thread">
            <Link href={`/chat/${encodeURIComponent(head.thread)}`} aria-current={head.thread === current ? "page" : undefined}>
              <span class="title">
                <Seen text={head.title} />
              </span>
              <span class="quiet small">
                <Time at={head.updated_at} mode="ago" /> {WORDS[head.state] !== undefined && <Badge tone={head.state === "running" ? "info" : "warn"}>{WORDS[head.state]}</Badge>}
              </span>
            </Link>
            <span class="tools">
              <Button small label={`Rename ${head.title}`} onClick={() => setRenaming(head)}>
                Rename
              </Button>
              <Button small label={`Delete ${head.title}`} onClick={() => setDeleting(head)}>
                Delete
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {cursor !== undefined && (
        <Button small onClick={() => void load(cursor)}>
          Older ones
        </Button>
      )}
      {renaming !== undefined && (
        <Rename
          held={held}
          head={renaming}
          onDone={(title) => {
            setRenaming(undefined);
            if (title === undefined) return;
            // It may stand behind the first page, which is all that is asked for again.
            setHeads((before) => renamed(before, renaming.thread, title));
            setTurn((before) => before + 1);
          }}
        />
      )}
      {deleting !== undefined && (
        <Delete
          held={held}
          head={deleting}
          onDone={(deleted) => {
            setDeleting(undefined);
            if (!deleted) return;
            setHeads((before) => without(before, deleting.thread));
            if (deleting.thread === current) navigate("/chat");
            setTurn((before) => before + 1);
          }}
        />
      )}
    </nav>
  );
}

interface RenameProps {
  readonly held: HeldKey;
  readonly head: Head;
  /** With the title that it has now, if it was renamed. */
  readonly onDone: (title?: string) => void;
}

function Rename({ held, head, onDone }: RenameProps) {
  const [title, setTitle] = useState(head.title);
  const form = useForm(async () => {
    await request("PUT", path`/v1/threads/${head.thread}`, { title: title.trim() }, { key: held });
    onDone(title.trim());
  });
  return (
    <Dialog title="Rename the conversation" onClose={() => onDone()}>
      <form class="stack" onSubmit={form.onSubmit}>
        <Field label="Title">{(ids) => <input {...ids} required maxLength={200} value={title} onInput={(event) => setTitle(event.currentTarget.value)} />}</Field>
        <FormEnd form={form} word="Rename">
          <Button onClick={() => onDone()}>Cancel</Button>
        </FormEnd>
      </form>
    </Dialog>
  );
}

interface DeleteProps {
  readonly held: HeldKey;
  readonly head: Head;
  readonly onDone: (deleted: boolean) => void;
}

function Delete({ held, head, onDone }: DeleteProps) {
  const remove = async (): Promise<void> => {
    await request("DELETE", path`/v1/threads/${head.thread}`, undefined, { key: held });
    toast("The conversation was deleted.");
    onDone(true);
  };
  return (
    <Confirm title="Delete the conversation?" word="Delete" danger work={remove} onClose={() => onDone(false)}>
      <p>
        <Seen text={head.title} /> and its {head.messages} messages are deleted for good. Calls that were made stay in the history of the org.
      </p>
    </Confirm>
  );
}
