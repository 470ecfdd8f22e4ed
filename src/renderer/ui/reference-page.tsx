/** The page about the service's spec (`docs/service.md`, shipped with the app), scrolled to one of its sections. */
import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import pageText from '../../../docs/service.md?raw'
import { isSection, sectionAnchor, type Section } from '../../shared/service/hook-finding.ts'
import { classNames } from './class-names.ts'
import { Dialog } from './dialog.tsx'

interface PageSection {
  readonly anchor: string | null
  readonly blocks: readonly Block[]
}

/** A heading with an anchor starts a section. Before the first one come the page's own heading and introduction. */
function sectionsOf(blocks: readonly Block[]): readonly PageSection[] {
  const sections: { anchor: string | null; blocks: Block[] }[] = []
  for (const block of blocks) {
    const anchor = block.kind === 'heading' ? block.anchor : null
    const last = sections.at(-1)
    if (last === undefined || anchor !== null) sections.push({ anchor, blocks: [block] })
    else last.blocks.push(block)
  }
  return sections
}

interface ReferencePageProps {
  readonly section: Section
  /** Called when a link to another section is followed. */
  readonly onSection: (section: Section) => void
  readonly heading: RefObject<HTMLHeadingElement | null>
}

function ReferencePage({ section, onSection, heading }: ReferencePageProps) {
  const [sections] = useState(() => sectionsOf(readMarkdown(pageText)))
  const current = sectionAnchor(section)
  const brought = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    brought.current?.scrollIntoView({ block: 'start' })
  }, [current])
  const follow = (target: string) => {
    const [, number] = /^#section-([\d-]+)$/.exec(target) ?? []
    if (number !== undefined) onSection(number.replace('-', '.') as Section)
  }
  return (
    <div className="flex flex-col gap-5">
      {sections.map(({ anchor, blocks }, index) => {
        const isCurrent = anchor === current
        return (
          <section
            key={anchor ?? index}
            ref={isCurrent ? brought : undefined}
            aria-current={isCurrent ? 'location' : undefined}
            className={classNames(
              'flex scroll-mt-4 flex-col gap-2 border-l-2 pl-3.5',
              isCurrent ? 'border-accent' : 'border-transparent',
            )}
          >
            {blocks.map((block, at) => (
              <BlockView
                key={at}
                block={block}
                heading={isCurrent && at === 0 ? heading : undefined}
                onFollow={follow}
              />
            ))}
          </section>
        )
      })}
    </div>
  )
}

interface BlockProps {
  readonly block: Block
  readonly heading: RefObject<HTMLHeadingElement | null> | undefined
  readonly onFollow: (target: string) => void
}

function BlockView({ block, heading, onFollow }: BlockProps) {
  const line = (parts: readonly Inline[]) =>
    parts.map((part, index) => <InlineView key={index} part={part} onFollow={onFollow} />)
  switch (block.kind) {
    case 'heading': {
      const Heading = block.level <= 2 ? 'h3' : 'h4'
      return (
        <Heading
          ref={heading}
          tabIndex={heading === undefined ? undefined : -1}
          className={classNames('w-fit font-medium', block.level <= 2 && 'text-title')}
        >
          {line(block.text)}
        </Heading>
      )
    }
    case 'paragraph':
      return <p>{line(block.text)}</p>
    case 'quote':
      return <p className="border-l border-line pl-3 text-muted">{line(block.text)}</p>
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul'
      return (
        <List
          className={classNames(
            'flex flex-col gap-1 pl-5',
            block.ordered ? 'list-decimal' : 'list-disc',
          )}
        >
          {block.items.map((item, index) => (
            <li key={index}>{line(item)}</li>
          ))}
        </List>
      )
    }
    case 'table':
      return (
        <table className="w-full border-collapse text-left text-small">
          <thead>
            <tr>
              {block.head.map((cell, index) => (
                <th
                  key={index}
                  scope="col"
                  className="border-b border-line py-1 pr-4 font-medium text-muted"
                >
                  {line(cell)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {block.rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, at) => (
                  <td
                    key={at}
                    className="border-b border-line/50 py-1 pr-4 align-top wrap-anywhere"
                  >
                    {line(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )
  }
}

function InlineView({
  part,
  onFollow,
}: {
  readonly part: Inline
  readonly onFollow: (target: string) => void
}): ReactNode {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'code':
      return <code className="data">{part.text}</code>
    case 'strong':
      return <strong className="font-medium">{part.text}</strong>
    case 'emphasis':
      return <em>{part.text}</em>
    case 'link':
      // Other pages of the docs aren't shipped with the app.
      return part.target.startsWith('#') ? (
        <button
          type="button"
          className="text-accent underline underline-offset-2"
          onClick={() => onFollow(part.target)}
        >
          {part.text}
        </button>
      ) : (
        part.text
      )
  }
}

/** A link from a rule to its section of the spec. The page opens over the current screen or form, so that nothing typed is lost. */
export function SectionLink({ section }: { readonly section: string }) {
  const [shown, setShown] = useState<Section | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  if (!isSection(section)) return `spec ${section}`
  const close = () => setShown(null)
  return (
    <>
      <button
        type="button"
        className="rounded-small text-subtle underline decoration-dotted underline-offset-2 hover:text-text"
        onClick={() => setShown(section)}
      >
        spec {section}
      </button>
      <Dialog
        open={shown !== null}
        onClose={close}
        wide
        title={`Service spec, section ${shown ?? section}`}
        description="Countersign's summary of the spec. Findings link to these sections."
        initialFocus={heading}
      >
        {shown !== null && <ReferencePage section={shown} onSection={setShown} heading={heading} />}
      </Dialog>
    </>
  )
}

// Parses the Markdown of this project's own pages: headings with anchors, paragraphs, lists, tables and quotes. Never used for
// outside text, and never produces HTML.

export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly target: string }

export type Block =
  | {
      readonly kind: 'heading'
      readonly level: number
      readonly text: readonly Inline[]
      readonly anchor: string | null
    }
  | { readonly kind: 'paragraph' | 'quote'; readonly text: readonly Inline[] }
  | {
      readonly kind: 'list'
      readonly ordered: boolean
      readonly items: readonly (readonly Inline[])[]
    }
  | {
      readonly kind: 'table'
      readonly head: readonly (readonly Inline[])[]
      readonly rows: readonly (readonly (readonly Inline[])[])[]
    }

const anchorLine = /^<a id="([\w-]+)"><\/a>$/
const headingLine = /^(#{1,6}) (.+)$/s
const itemStart = /^(-|\d+\.) /

/** The blocks of a page in order. Empty lines separate blocks. */
export function readMarkdown(text: string): readonly Block[] {
  const blocks: Block[] = []
  let anchor: string | null = null
  for (const part of text.replaceAll('\r\n', '\n').split(/\n{2,}/)) {
    const lines = part.trim().split('\n')
    const [first = ''] = lines
    const [, named] = anchorLine.exec(first) ?? []
    if (first === '') continue
    if (named !== undefined) {
      anchor = named
      continue
    }
    blocks.push(blockOf(lines, anchor))
    anchor = null
  }
  return blocks
}

function blockOf(lines: readonly string[], anchor: string | null): Block {
  const joined = lines.join(' ')
  const [, marks, title] = headingLine.exec(joined) ?? []
  if (marks !== undefined && title !== undefined)
    return { kind: 'heading', level: marks.length, text: readInline(title), anchor }
  if (lines.every((line) => line.startsWith('|'))) {
    const [head = [], , ...rows] = lines.map(cellsOf)
    return { kind: 'table', head, rows }
  }
  if (itemStart.test(lines[0] ?? ''))
    return {
      kind: 'list',
      ordered: /^\d/.test(lines[0] ?? ''),
      items: itemsOf(lines).map(readInline),
    }
  if (lines.every((line) => line.startsWith('>')))
    return { kind: 'quote', text: readInline(lines.map((line) => line.slice(1).trim()).join(' ')) }
  return { kind: 'paragraph', text: readInline(joined) }
}

/** A line that starts no item belongs to the previous one. */
function itemsOf(lines: readonly string[]): readonly string[] {
  const items: string[] = []
  for (const line of lines) {
    const begun = itemStart.exec(line)
    if (begun !== null) items.push(line.slice(begun[0].length))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  return items
}

function cellsOf(line: string): readonly (readonly Inline[])[] {
  return line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => readInline(cell.trim()))
}

const inlineMark = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^[\]]+)\]\(([^()\s]+)\)|(?<!\w)_([^_]+)_(?!\w)/g

/** The parts of a line: text, code, strong, emphasis and links, not nested. */
function readInline(text: string): readonly Inline[] {
  const parts: Inline[] = []
  let from = 0
  for (const match of text.matchAll(inlineMark)) {
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) })
    from = match.index + match[0].length
    const [, code, strong, label, target, emphasis] = match
    if (code !== undefined) parts.push({ kind: 'code', text: code })
    else if (strong !== undefined) parts.push({ kind: 'strong', text: strong })
    else if (label !== undefined) parts.push({ kind: 'link', text: label, target: target ?? '' })
    else parts.push({ kind: 'emphasis', text: emphasis ?? '' })
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) })
  return parts
}
