/** The body in the selected view, or in the closest view it supports. */
import { useMemo } from 'react'
import type { Delivery } from '../../../shared/model/delivery.ts'
import { Code } from '../../ui/code.tsx'
import { NameValueTable } from '../../ui/name-value-table.tsx'
import { BodyNotice } from './body-notices.tsx'
import type { BodyFacts, BodyView } from './body-slice.ts'
import type { ReadText, ShownText } from './body-text.ts'
import { HexRows } from './body-view.tsx'
import { MOST_NODES, treeOf } from './json-tree.ts'
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
  readonly bytes: Uint8Array
  readonly read: ReadText
  readonly view: BodyView
  readonly isForm: boolean
  readonly shown: ShownText
  readonly wrap: boolean
  readonly reveal: { readonly at: number } | null
  readonly search: boolean
  readonly onSearch: (open: boolean) => void
}

export function BodyContent(props: BodyContentProps) {
  const { bytes, read, view, isForm, shown } = props
  if (view === 'hex')
    return (
      <div className="h-full pt-1.5">
        <HexRows label="Body" bytes={bytes} />
      </div>
    )
  if (read.binary && view !== 'text')
    return (
      <div className="flex h-full flex-col">
        <BodyNotice tone="quiet">Binary body, shown as hex.</BodyNotice>
        <div className="min-h-0 flex-1 pt-1.5">
          <HexRows label="Body" bytes={bytes} />
        </div>
      </div>
    )
  if (view === 'tree' && isForm) return <FormTable text={read.text} />
  if (view === 'tree' && shown.isJson) return <Tree {...props} />
  const { wrap, reveal, search, onSearch } = props
  return (
    <Code
      label="Body"
      text={shown.text}
      json={shown.isJson}
      wrap={wrap}
      problems={shown.problem === null ? [] : [shown.problem]}
      reveal={reveal}
      search={search}
      onSearch={onSearch}
    />
  )
}

const noFields: ReadonlySet<string> = new Set()

function Tree({ delivery, facts, isDecoded, read, reveal }: BodyContentProps) {
  const tree = useMemo(() => treeOf(read.text, read.cut), [read])
  if (tree === null) return null
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
          reveal={reveal}
        />
      </div>
    </div>
  )
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
