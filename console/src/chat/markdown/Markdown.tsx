import { type ComponentChildren, h } from "preact";
import { useMemo } from "preact/hooks";
import { Copy } from "../../shared/ui/Copy";
import { type Block, type Inline, parse, safeAddress } from "./parse";

/** What a model wrote, as nodes: no HTML of it is ever read as HTML, and nothing of it is loaded. */
export function Markdown({ text }: { readonly text: string }) {
  const parsed = useMemo(() => parse(text), [text]);
  return <div class="markdown" dir="auto">{blocks(parsed)}</div>;
}

function blocks(all: readonly Block[]): ComponentChildren {
  return all.map((block, at) => <BlockView key={at} block={block} />);
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case "paragraph":
      return <p>{inlines(block.children)}</p>;
    case "heading": {
      // The page has headings of its own above these.
      return h(`h${Math.min(block.level + 2, 6)}`, null, inlines(block.children));
    }
    case "code":
      return (
        <div class="codeblock">
          <div class="row spread">
            <span class="quiet small">{block.language}</span>
            <Copy text={block.text} label="code" />
          </div>
          <pre tabIndex={0} role="region" aria-label={block.language === "" ? "Code" : `Code: ${block.language}`}>
            <code>{block.text}</code>
          </pre>
        </div>
      );
    case "quote":
      return <blockquote>{blocks(block.blocks)}</blockquote>;
    case "list":
      return block.start === undefined ? <ul>{items(block.items)}</ul> : <ol start={block.start}>{items(block.items)}</ol>;
    case "table":
      return (
        <div class="scroll" tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, at) => (
                  <th key={at} scope="col">{inlines(cell)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column}>{inlines(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case "rule":
      return <hr />;
  }
}

/** An item of one paragraph is its text, without the space around a paragraph. */
function items(all: readonly (readonly Block[])[]): ComponentChildren {
  return all.map((item, at) => {
    const [first, ...rest] = item;
    return <li key={at}>{first?.kind === "paragraph" ? [inlines(first.children), blocks(rest)] : blocks(item)}</li>;
  });
}

function inlines(all: readonly Inline[]): ComponentChildren {
  return all.map((node, at) => <InlineView key={at} node={node} />);
}

function InlineView({ node }: { readonly node: Inline }) {
  switch (node.kind) {
    case "text":
      return <>{node.text}</>;
    case "code":
      return <code>{node.text}</code>;
    case "strong":
      return <strong>{inlines(node.children)}</strong>;
    case "em":
      return <em>{inlines(node.children)}</em>;
    case "del":
      return <del>{inlines(node.children)}</del>;
    case "break":
      return <br />;
    case "image":
      return <Outside href={node.href}>Image: {node.alt === "" ? "without a description" : node.alt}</Outside>;
    case "link":
      return <Outside href={node.href}>{inlines(node.children)}</Outside>;
  }
}

/** A link that leads away says where to; what may not be followed is its text. */
function Outside({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  const url = safeAddress(href);
  if (url === undefined) return <span title="An address that this page does not follow">{children}</span>;
  const where = url.protocol === "mailto:" ? url.pathname : url.host;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {children} <span class="host">({where})</span>
    </a>
  );
}
