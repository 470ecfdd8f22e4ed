/** The body in the view that is chosen, or in the nearest one that it can be shown in. */
import { useEffect } from 'react'
import type { Delivery } from '../../../../shared/model/delivery.ts'
import type { BodyFacts } from '../body-slice.ts'
import type { BodyLayout } from '../body/body-layout.ts'
import type { BodyText } from '../body/decode-text.ts'
import type { Highlight } from '../body/found-in.ts'
import { MOST_NODES } from '../body/json-tree.ts'
import type { BodySource } from '../body/lay-out-in-worker.ts'
import { useAboutBody, type Answered } from '../body/use-about-body.ts'
import type { BodyView } from '../detail-slice.ts'
import { Notice } from './body-notices.tsx'
import { BodyRows, HexRows, LayingOut } from './body-view.tsx'
import { FormTable } from './form-table.tsx'
import { TreePane } from './tree-pane.tsx'

export interface BodyContentProps {
  readonly delivery: Delivery
  readonly facts: BodyFacts | null
  /** The text is not that of the bytes received, which are what the schema was held against. */
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
        <Notice tone="quiet">This is not text: shown as bytes. “As sent” shows them as characters all the same.</Notice>
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

/** The tree of what is JSON; the text of what is not. */
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
        <Notice tone="quiet">
          The tree holds the first {MOST_NODES.toLocaleString('en')} values. “Formatted” and “As sent” show all of them.
        </Notice>
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
