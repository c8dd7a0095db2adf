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
import type { ThreadView } from "./loop";

interface Head {
  readonly thread: string;
  readonly title: string;
  readonly updated_at: string;
  readonly messages: number;
  readonly state: ThreadView["state"];
}

interface Page {
  readonly threads: readonly Head[];
  readonly next_cursor?: string;
}

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
  const [heads, setHeads] = useState<readonly Head[]>([]);
  const [cursor, setCursor] = useState<string>();
  const [fault, setFault] = useState<unknown>();
  const [turn, setTurn] = useState(0);
  const [renaming, setRenaming] = useState<Head>();
  const [deleting, setDeleting] = useState<Head>();
  const load = async (from: string | undefined, signal?: AbortSignal): Promise<void> => {
    try {
      const page = await get<Page>(query("/v1/threads", { limit: PAGE, cursor: from }), { key: held, signal });
      setFault(undefined);
      if (from !== undefined) setHeads((before) => [...before, ...page.threads.filter(({ thread }) => !before.some((one) => one.thread === thread))]);
      // What was paged to stays; the first page is as it is now.
      else setHeads((before) => [...page.threads, ...before.slice(page.threads.length).filter(({ thread }) => page.next_cursor !== undefined && !page.threads.some((one) => one.thread === thread))]);
      if (from !== undefined || cursor === undefined || page.next_cursor === undefined) setCursor(page.next_cursor);
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
          onDone={(changed) => {
            setRenaming(undefined);
            if (changed) setTurn((before) => before + 1);
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
            setHeads((before) => before.filter(({ thread }) => thread !== deleting.thread));
            if (deleting.thread === current) navigate("/chat");
            setTurn((before) => before + 1);
          }}
        />
      )}
    </nav>
  );
}

interface DialogProps {
  readonly held: HeldKey;
  readonly head: Head;
  readonly onDone: (changed: boolean) => void;
}

function Rename({ held, head, onDone }: DialogProps) {
  const [title, setTitle] = useState(head.title);
  const form = useForm(async () => {
    await request("PUT", path`/v1/threads/${head.thread}`, { title: title.trim() }, { key: held });
    onDone(true);
  });
  return (
    <Dialog title="Rename the conversation" onClose={() => onDone(false)}>
      <form class="stack" onSubmit={form.onSubmit}>
        <Field label="Title">{(ids) => <input {...ids} required maxLength={200} value={title} onInput={(event) => setTitle(event.currentTarget.value)} />}</Field>
        <FormEnd form={form} word="Rename">
          <Button onClick={() => onDone(false)}>Cancel</Button>
        </FormEnd>
      </form>
    </Dialog>
  );
}

function Delete({ held, head, onDone }: DialogProps) {
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
