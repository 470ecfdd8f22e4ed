/** The body in the selected view, or in the closest view it supports. */
import { useEffect } from 'react'
import type { Delivery } from '../../../shared/model/delivery.ts'
import { NameValueTable } from '../../ui/name-value-table.tsx'
import type { BodyLayout } from './body-layout.ts'
import { BodyNotice } from './body-notices.tsx'
import type { BodyFacts, BodyView } from './body-slice.ts'
import { BodyRows, HexRows, LayingOut } from './body-view.tsx'
import type { BodyText } from './decode-text.ts'
import type { Highlight } from './find-text.ts'
import { MOST_NODES } from './json-tree.ts'
import { useAboutBody, type Answered, type BodySource } from './lay-out-in-worker.ts'
import { TreePane } from './tree-pane.tsx'

interface FormField {
  readonly name: string
  readonly value: string
  /** False if the percent escapes aren't UTF-8; the field is then shown as sent. */
  readonly decoded: boolean
}

/** The fields of a form body (`application/x-www-form-urlencoded`), in order, with duplicates. */
const MOST_FORM_FIELDS = 1_000

export function formFields(text: string): readonly FormField[] {
  if (text === '') return []
  return text
    .split('&', MOST_FORM_FIELDS)
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const name = equals === -1 ? pair : pair.slice(0, equals)
      const value = equals === -1 ? '' : pair.slice(equals + 1)
      try {
        return { name: decode(name), value: decode(value), decoded: true }
      } catch {
        // Percent escapes that aren't UTF-8.
        return { name, value, decoded: false }
      }
    })
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

export interface BodyContentProps {
  readonly delivery: Delivery
  readonly facts: BodyFacts | null
  /** The text was decoded, so it isn't the received bytes that the schema was checked against. */
  readonly isDecoded: boolean
  readonly source: BodySource
  readonly read: Answered<BodyText>
  readonly view: BodyView
  readonly isForm: boolean
  readonly wrap: boolean
  readonly highlight: Highlight | null
  readonly reveal: { readonly at: number } | null
  readonly onLayout: (layout: BodyLayout | 'tree' | 'too-long') => void
}

export function BodyContent(props: BodyContentProps) {
  const { source, read, view, isForm } = props
  if (read === 'reading') return <LayingOut />
  if (view === 'hex' || read === 'too-long')
    return (
      <Padded>
        <HexRows label="Body" bytes={source.bytes} />
      </Padded>
    )
  if (read.binary && view !== 'text')
    return (
      <div className="flex h-full flex-col">
        <BodyNotice tone="quiet">Binary body, shown as hex.</BodyNotice>
        <div className="min-h-0 flex-1 pt-1.5">
          <HexRows label="Body" bytes={source.bytes} />
        </div>
      </div>
    )
  if (view === 'tree' && isForm) return <FormTable text={read.text} />
  if (view === 'tree') return <TreeOrRows {...props} read={read} />
  return <Rows {...props} read={read} />
}

interface WithText extends BodyContentProps {
  readonly read: BodyText
}

function Rows({ source, read, view, wrap, highlight, reveal, onLayout }: WithText) {
  const rows = { source, read, wrap, highlight, reveal, onLayout }
  return (
    <Padded>
      <BodyRows label="Body" asSent={view === 'text'} {...rows} />
    </Padded>
  )
}

const noFields: ReadonlySet<string> = new Set()
const askTree = { ask: 'tree' } as const

/** A tree for JSON, text otherwise. */
function TreeOrRows(props: WithText) {
  const { delivery, facts, isDecoded, source, read, highlight, reveal, onLayout } = props
  const answer = useAboutBody(source, askTree)
  const tree = typeof answer === 'object' ? answer.tree : null
  useEffect(() => {
    if (tree !== null) onLayout('tree')
  }, [tree, onLayout])
  if (answer === 'reading') return <LayingOut />
  if (tree === null) return <Rows {...props} />
  return (
    <div className="flex h-full flex-col">
      {tree.partial && (
        <BodyNotice tone="quiet">
          Showing the first {MOST_NODES.toLocaleString('en')} values. "Formatted" and "As sent" show
          all.
        </BodyNotice>
      )}
      <div className="min-h-0 flex-1">
        <TreePane
          delivery={delivery}
          text={read.text}
          tree={tree}
          schema={isDecoded ? null : (facts?.schema ?? null)}
          newFields={facts?.newFields ?? noFields}
          highlight={highlight}
          reveal={reveal}
        />
      </div>
    </div>
  )
}

function Padded({ children }: { readonly children: React.ReactNode }) {
  return <div className="h-full pt-1.5">{children}</div>
}

/** The decoded fields of a form body. Fields that aren't UTF-8 are shown as sent. */
function FormTable({ text }: { readonly text: string }) {
  const fields = formFields(text)
  const rows = fields.map(({ name, value, decoded }) => ({
    name,
    value,
    warning: decoded ? null : 'not UTF-8, shown as sent',
    note: null,
    copied: value,
  }))
  return (
    <NameValueTable label="Form fields" rows={rows} copyLabel="Copy value">
      {fields.length === MOST_FORM_FIELDS && (
        <p className="px-5 py-2 text-small text-muted">
          Showing the first {MOST_FORM_FIELDS.toLocaleString('en')} fields. "As sent" shows all.
        </p>
      )}
    </NameValueTable>
  )
}
