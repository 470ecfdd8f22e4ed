/** One row of the tree: a value with its name and meaning, or a schema finding below it. */
import { ChevronRight, CircleAlert, TriangleAlert } from 'lucide-react'
import { ExactText } from '../../ui/exact-text.tsx'
import { FindingText, QuotedText } from '../../ui/finding-text.tsx'
import { DEEPEST_INDENT } from '../../ui/json/text-rows.ts'
import type { Highlight } from './find-text.ts'
import { HighlightedText } from './code-rows.tsx'
import { isContainer, nodeKinds, type JsonTree } from './json-tree.ts'
import { INDENT, type Extra } from './tree-rows.ts'
import type { Meaning } from './value-meaning.ts'

/** Characters of a value shown in a row; the strip below shows more of the selected one. */
const LONGEST_VALUE = 300

const valueLook: Readonly<Record<number, string>> = {
  [nodeKinds.string]: 'text-code-string',
  [nodeKinds.number]: 'text-code-number',
  [nodeKinds.word]: 'text-code-word',
}

export interface NodeRowProps {
  readonly text: string
  readonly tree: JsonTree
  readonly node: number
  readonly open: boolean
  readonly isNew: boolean
  readonly event: string | null
  readonly meaning: Meaning | null
  readonly highlight: Highlight | null
  readonly onFold: () => void
}

export function NodeRow({
  text,
  tree,
  node,
  open,
  isNew,
  event,
  meaning,
  highlight,
  onFold,
}: NodeRowProps) {
  const keyStart = tree.keyStarts[node] ?? -1
  const depth = tree.depths[node] ?? 0
  const foldable = isContainer(tree, node) && (tree.sizes[node] ?? 0) > 0
  return (
    <>
      <span style={{ width: indentWidth(depth) }} className="shrink-0" />
      {depth > DEEPEST_INDENT && <span className="pr-1 text-subtle">{depth}:</span>}
      <span
        className="inline-flex w-4 shrink-0 justify-center text-subtle"
        aria-hidden
        onClick={foldable ? onFold : undefined}
      >
        {foldable && <ChevronRight size={14} className={open ? 'rotate-90' : ''} />}
      </span>
      {keyStart === -1 ? (
        depth > 0 && <span className="text-subtle">{tree.places[node]}: </span>
      ) : (
        <>
          <span className="text-code-key">
            <KeyText
              text={text}
              start={keyStart}
              end={tree.keyEnds[node] ?? keyStart}
              highlight={highlight}
            />
          </span>
          <span className="text-subtle">: </span>
        </>
      )}
      <Value text={text} tree={tree} node={node} highlight={highlight} />
      {tree.repeated[node] === 1 && (
        <Badge tone="warn" title="Duplicate name in this object. Most parsers use the last one.">
          duplicate
        </Badge>
      )}
      {isNew && (
        <Badge
          tone="accent"
          title={`No earlier delivery of ${event ?? 'this event'} had this field.`}
        >
          new
        </Badge>
      )}
      {meaning !== null && (
        <span
          className={`pl-3 font-sans ${meaning.odd ? 'text-warn' : 'text-subtle'}`}
          title={meaning.title}
        >
          {meaning.text}
        </span>
      )}
    </>
  )
}

function KeyText({
  text,
  start,
  end,
  highlight,
}: {
  text: string
  start: number
  end: number
  highlight: Highlight | null
}) {
  return (
    <HighlightedText
      text={text.slice(start, Math.min(end, start + LONGEST_VALUE))}
      at={start}
      highlight={highlight}
    />
  )
}

function Value({
  text,
  tree,
  node,
  highlight,
}: Pick<NodeRowProps, 'text' | 'tree' | 'node' | 'highlight'>) {
  const kind = tree.kinds[node] ?? nodeKinds.word
  if (kind === nodeKinds.object || kind === nodeKinds.array) {
    const size = tree.sizes[node] ?? 0
    const [start, end] = kind === nodeKinds.object ? ['{', '}'] : ['[', ']']
    return (
      <span className="text-subtle">
        {start}
        {size > 0 && (
          <span className="px-1 font-sans text-tiny tabular-nums">
            {countOf(size, kind === nodeKinds.object)}
          </span>
        )}
        {end}
      </span>
    )
  }
  const start = tree.starts[node] ?? 0
  const end = tree.ends[node] ?? start
  const shownEnd = Math.min(end, start + LONGEST_VALUE)
  return (
    <span className={valueLook[kind]}>
      <HighlightedText text={text.slice(start, shownEnd)} at={start} highlight={highlight} />
      {shownEnd < end && (
        <span className="font-sans text-subtle">
          … {(end - shownEnd).toLocaleString('en')} more characters
        </span>
      )}
    </span>
  )
}

export function ExtraRow({ extra: { note, depth, missing, line } }: { readonly extra: Extra }) {
  const tone = note.tone === 'bad' ? 'text-bad' : 'text-warn'
  const Icon = note.tone === 'bad' ? CircleAlert : TriangleAlert
  return (
    <>
      <span
        style={{ width: indentWidth(depth) + (missing === null ? 0 : 16) }}
        className="shrink-0"
      />
      {missing !== null && (
        <span className={`pr-3 text-subtle italic ${line.isFirst ? '' : 'invisible'}`}>
          <ExactText text={missing} />
        </span>
      )}
      <span className={`inline-flex items-center font-sans ${tone}`}>
        <Icon
          size={13}
          aria-hidden
          className={`mr-1.5 shrink-0 ${line.isFirst ? '' : 'invisible'}`}
        />
        {line.isFirst && (
          <span className="sr-only">{note.tone === 'bad' ? 'Error: ' : 'Note: '}</span>
        )}
        <span>
          {line.isLast ? (
            <FindingText finding={{ ...note, message: line.text }} />
          ) : (
            <QuotedText text={line.text} />
          )}
        </span>
      </span>
    </>
  )
}

function Badge({
  tone,
  title,
  children,
}: {
  readonly tone: 'warn' | 'accent'
  readonly title: string
  readonly children: string
}) {
  const look = tone === 'warn' ? 'bg-warn-wash text-warn' : 'bg-selected text-accent'
  return (
    <span
      title={title}
      className={`ml-2 rounded-small px-1.5 font-sans text-tiny leading-4 font-medium ${look}`}
    >
      {children}
    </span>
  )
}

function indentWidth(depth: number): number {
  return Math.min(depth, DEEPEST_INDENT) * INDENT
}

function countOf(size: number, isObject: boolean): string {
  const what = isObject ? 'field' : 'item'
  return `${size.toLocaleString('en')} ${what}${size === 1 ? '' : 's'}`
}
