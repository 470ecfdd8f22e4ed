/** The Body tab: tree, formatted, as sent, or hex; decoded if compressed. */
import { useMemo } from 'react'
import { placeInFormatted } from '../../../shared/json/format.ts'
import type { Delivery } from '../../../shared/model/delivery.ts'
import { useRead } from '../../core-data/use-read.ts'
import { Code } from '../../ui/code.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { byteSize } from '../../ui/moment.ts'
import { BodyNotice, HexRows, TextLimit } from './body-view.tsx'
import { MOST_NODES, type JsonTree } from './json-tree.ts'
import { TreePane } from './tree-pane.tsx'
import { NoticeButton, DecodedNotice, StoredNotice, TextNotices } from './body-notices.tsx'
import { FormTable } from './form-table.tsx'
import { useBodyTab, type BodyTabState, type ShownBody } from './use-body-tab.ts'

import { BodyToolbar } from './body-toolbar.tsx'

export function BodyTab({ shown }: { readonly shown: ShownBody }) {
  const state = useBodyTab(shown)
  const { searchable, openSearch, marks } = state
  if (shown.delivery.bodySize === 0) return <p className="px-5 py-4 text-muted">Empty body</p>
  return (
    <div
      ref={marks}
      className="flex h-full flex-col"
      onKeyDown={(event) => {
        const { key, ctrlKey, metaKey, altKey, shiftKey } = event
        if (!searchable || key !== 'f' || !(ctrlKey || metaKey) || altKey || shiftKey) return
        event.preventDefault()
        openSearch()
      }}
    >
      <BodyToolbar state={state} />
      <Notices state={state} />
      <Content state={state} />
    </div>
  )
}

function Notices({ state }: { readonly state: BodyTabState }) {
  const { shown, delivery, view, display, body, decoded, isDecoded, asReceived } = state
  const { problem, decodeProblem, isPart, charset, read, text, isText, setReveal } = state
  const { id } = delivery
  const { bytes, size } = body
  return (
    <>
      {decodeProblem !== null && (
        <BodyNotice tone="warn">Couldn't decode the body: {decodeProblem}</BodyNotice>
      )}
      {decoded !== null && (
        <DecodedNotice
          decoded={decoded}
          asReceived={asReceived}
          onAsReceived={() => display({ asReceived: asReceived ? null : id })}
        />
      )}
      {!isDecoded && <StoredNotice delivery={delivery} kept={shown.body.size} />}
      {isPart && (
        <BodyNotice
          tone={problem === null ? 'quiet' : 'warn'}
          action={
            <NoticeButton disabled={body.loading} onClick={() => display({ wholeBodyId: id })}>
              {body.loading ? 'Loading…' : 'Load all'}
            </NoticeButton>
          }
        >
          Showing the first {byteSize(bytes.length)} of {byteSize(size)}.
          {problem !== null && ` Couldn't load the rest: ${problem}`}
        </BodyNotice>
      )}
      {view !== 'hex' && (
        <>
          <TextLimit size={bytes.length} hex />
          <TextNotices
            read={read}
            charset={charset}
            onShow={() =>
              setReveal({ at: placeInFormatted(read.text, text.text, read.invalid?.at ?? 0) })
            }
          />
        </>
      )}
      {text.problem !== null && isText && (
        <BodyNotice
          tone="warn"
          action={
            <NoticeButton onClick={() => setReveal({ at: text.problem?.at ?? 0 })}>
              Go to error
            </NoticeButton>
          }
        >
          <QuotedText text={text.problem.message} />
        </BodyNotice>
      )}
    </>
  )
}

function Content({ state }: { readonly state: BodyTabState }) {
  const { delivery, view, wrap, body, isDecoded, read, text, tree, isForm, isText } = state
  const { search, setSearch, reveal } = state
  const { bytes } = body
  return (
    <div className="min-h-0 flex-1">
      {isText || (isForm && view === 'tree') ? (
        isForm && view === 'tree' ? (
          <FormTable text={read.text} />
        ) : tree === null ? (
          <Code
            label="Body"
            text={text.text}
            json={text.isJson}
            wrap={wrap}
            problems={text.problem === null ? [] : [text.problem]}
            reveal={reveal}
            search={search}
            onSearch={setSearch}
          />
        ) : (
          <Tree delivery={delivery} isDecoded={isDecoded} tree={tree} reveal={reveal} />
        )
      ) : (
        <div className="flex h-full flex-col">
          {view !== 'hex' && <BodyNotice tone="quiet">Binary body, shown as hex.</BodyNotice>}
          <div className="min-h-0 flex-1 pt-1.5">
            <HexRows label="Body" bytes={bytes} />
          </div>
        </div>
      )}
    </div>
  )
}

const noFields: ReadonlySet<string> = new Set()

function Tree({
  delivery,
  isDecoded,
  tree,
  reveal,
}: {
  readonly delivery: Delivery
  /** Whether the text isn't the received bytes, which the schema check uses. */
  readonly isDecoded: boolean
  readonly tree: JsonTree
  readonly reveal: { readonly at: number } | null
}) {
  const { output: schema } = useRead('deliveries.schema', { id: delivery.id })
  const { output: fields } = useRead('bodies.newFields', { id: delivery.id })
  const newFields = useMemo(
    () => (fields === undefined ? noFields : new Set(fields.paths)),
    [fields],
  )
  return (
    <div className="flex h-full flex-col">
      {tree.isPartial && (
        <BodyNotice tone="quiet">
          Showing the first {MOST_NODES.toLocaleString('en')} values. "Formatted" and "As sent" show
          all.
        </BodyNotice>
      )}
      <div className="min-h-0 flex-1">
        <TreePane
          delivery={delivery}
          tree={tree}
          schema={isDecoded ? null : (schema ?? null)}
          newFields={newFields}
          reveal={reveal}
        />
      </div>
    </div>
  )
}
