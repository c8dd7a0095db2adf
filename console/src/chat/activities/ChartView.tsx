import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useStore } from "../../shared/store";
import { theme } from "../../shared/theme";
import { Table } from "../../shared/ui/Table";
import { readChart, tableOf } from "./chart";
import { allowConstants } from "./constants";
import { Failed, useDark } from "./parts";
import type { ActivityProps } from "./registry";

/** More rows are not put into the page; the numbers are in the arguments of the call. */
const ROWS_MAX = 200;

export function ChartView({ content }: ActivityProps) {
  const read = useMemo(() => {
    try {
      return { chart: readChart(content) };
    } catch (fault) {
      return { fault };
    }
  }, [content]);
  return "fault" in read ? <Failed what="chart" fault={read.fault} content={content} /> : <Drawn option={read.chart.option} notes={read.chart.notes} content={content} />;
}

interface Props {
  readonly option: Record<string, unknown>;
  readonly notes: readonly string[];
  readonly content: unknown;
}

function Drawn({ option, notes, content }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [fault, setFault] = useState<unknown>();
  const sheet = useMemo(() => tableOf(option), [option]);
  const chosen = useStore(theme);
  const dark = useDark();
  useEffect(() => {
    let remove: (() => void) | undefined;
    let gone = false;
    allowConstants();
    import("./drawChart").then(
      ({ drawChart }) => {
        if (gone || place.current === null) return;
        try {
          remove = drawChart(place.current, structuredClone(option));
        } catch (thrown) {
          setFault(thrown);
        }
      },
      setFault,
    );
    return () => {
      gone = true;
      remove?.();
    };
  }, [option, chosen, dark]);
  if (fault !== undefined) return <Failed what="chart" fault={fault} content={content} />;
  const rows = sheet.rows.slice(0, ROWS_MAX);
  return (
    <figure class="activity">
      <div ref={place} class="chart" role="img" aria-label={sheet.title === "" ? "Chart; its numbers are in the table below" : `Chart: ${sheet.title}; its numbers are in the table below`} />
      {notes.length > 0 && <p class="quiet small">{notes.join(" ")}</p>}
      <details>
        <summary>The numbers as a table</summary>
        <Table label={sheet.title === "" ? "Numbers of the chart" : sheet.title} head={sheet.head}>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </Table>
        {sheet.rows.length > ROWS_MAX && <p class="quiet small">{sheet.rows.length - ROWS_MAX} more rows.</p>}
      </details>
    </figure>
  );
}
