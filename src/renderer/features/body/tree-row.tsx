/** A row of the tree: a value with its meaning, or a schema finding. */
import type { JsonNode } from '../../../shared/json/tree.ts'
import type { FindingRow } from './json-tree.ts'
import type { Meaning } from './value-meaning.ts'
import { ChevronRight, CircleAlert, Info } from 'lucide-react'
import { ExactText } from '../../ui/exact-text.tsx'
import { FindingText } from '../../ui/finding-text.tsx'
import { DEEPEST_INDENT } from '../../../shared/json/format.ts'
import { counted } from '../../../shared/text/english.ts'
import { isFoldable } from './use-tree.ts'

/** Characters of a value shown in a row. */
const MAX_VALUE_LENGTH = 300

/** Room of a note: from the value to the edge in view, where rows may be wider. */
const toEdge = 'mr-[max(0px,100%+36px-100cqw)] w-0 flex-1'

const valueStyle: Readonly<Partial<Record<JsonNode['kind'], string>>> = {
  string: 'text-code-string',
  number: 'text-code-number',
  word: 'text-code-word',
}

interface NodeRowProps {
  readonly node: JsonNode
  readonly open: boolean
  readonly isNew: boolean
  /** Whether its object has another field of the same name. */
  readonly isRepeated: boolean
  readonly event: string | null
  readonly meaning: Meaning | null
  readonly onFold: () => void
}

export function NodeRow({ node, open, isNew, isRepeated, event, meaning, onFold }: NodeRowProps) {
  const { rawName, depth } = node
  const foldable = isFoldable(node)
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
      {rawName === null ? (
        depth > 0 && <span className="text-subtle">{node.place}: </span>
      ) : (
        <>
          <span className="text-code-key">
            <ExactText text={rawName.slice(0, MAX_VALUE_LENGTH)} />
          </span>
          <span className="text-subtle">: </span>
        </>
      )}
      <Value node={node} />
      {isRepeated && (
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
        <span className={`${toEdge} truncate pl-3 font-sans text-subtle`} title={meaning.title}>
          {meaning.text}
        </span>
      )}
    </>
  )
}

function Value({ node: { kind, isContainer, children, raw } }: Pick<NodeRowProps, 'node'>) {
  if (isContainer) {
    const size = children.length
    const [start, end, what] = kind === 'object' ? ['{', '}', 'field'] : ['[', ']', 'item']
    return (
      <span className="text-subtle">
        {start}
        {size > 0 && (
          <span className="px-1 font-sans text-tiny tabular-nums">{counted(size, what)}</span>
        )}
        {end}
      </span>
    )
  }
  const hiddenCount = raw.length - MAX_VALUE_LENGTH
  return (
    <span className={valueStyle[kind]}>
      <ExactText text={raw.slice(0, MAX_VALUE_LENGTH)} />
      {hiddenCount > 0 && (
        <span className="font-sans text-subtle">
          … {hiddenCount.toLocaleString('en')} more characters
        </span>
      )}
    </span>
  )
}

export function FindingRowView({
  extra: { note, depth, missing },
}: {
  readonly extra: FindingRow
}) {
  const isBad = note.tone === 'bad'
  const Icon = isBad ? CircleAlert : Info
  return (
    <>
      <span
        style={{ width: indentWidth(depth) + (missing === null ? 0 : 16) }}
        className="shrink-0"
      />
      {missing !== null && (
        <span className="pr-3 text-subtle italic">
          <ExactText text={missing} />
        </span>
      )}
      <span
        className={`flex ${toEdge} items-center font-sans ${isBad ? 'text-bad' : 'text-muted'}`}
      >
        <Icon size={13} className="mr-1.5 shrink-0" />
        <span className="sr-only">{isBad ? 'Error: ' : 'Note: '}</span>
        <span className="truncate">
          <FindingText finding={note} />
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
  const style = tone === 'warn' ? 'bg-warn-wash text-warn' : 'bg-selected text-accent'
  return (
    <span
      title={title}
      className={`ml-2 rounded-small px-1.5 font-sans text-tiny leading-4 font-medium ${style}`}
    >
      {children}
    </span>
  )
}

/** Indent per level, in pixels. */
const INDENT = 16

function indentWidth(depth: number): number {
  return Math.min(depth, DEEPEST_INDENT) * INDENT
}
