/** The result: the smallest body, its required fields, and actions. */
import { FileDown, GitCompareArrows, SlidersHorizontal } from 'lucide-react'
import { utf8Text } from '../../../shared/body/encoding.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { labelOf, shrinkOutcomes } from '../../../shared/model/outcomes.ts'
import { neededWords, type ShrinkOutcome, type ShrinkResult } from '../../../shared/model/shrink.ts'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { fromBase64 } from '../../ui/bytes.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { JsonText } from '../../ui/json/json-editor.tsx'
import { byteSize } from '../../ui/moment.ts'
import { OutcomeIcon } from '../../ui/outcome-mark.tsx'
import { saveBytes } from '../../ui/save.ts'
import { useFirstFocus } from '../../ui/dialog.tsx'
import { shrinkFailureWords } from './shrink-progress.tsx'

export interface ShrinkResultProps {
  readonly subject: DeliveryRow
  readonly result: ShrinkResult
  readonly onDone: () => void
}

const found: readonly (ShrinkOutcome | null)[] = ['smallest', 'limit', 'cancelled']

export function ShrinkResultView({ subject, result, onDone }: ShrinkResultProps) {
  const shrinkAgain = useApp((state) => state.shrink.again)
  const first = useFirstFocus<HTMLButtonElement>()
  const { run } = result
  const outcome = shrinkOutcomes[run.outcome ?? 'broken']
  const isUnreached = run.outcome === 'unreachable'
  return (
    <div className="flex flex-col gap-3.5">
      <div role="status">
        <p className="flex items-center gap-2 font-medium">
          <OutcomeIcon outcome={outcome} />
          {labelOf(outcome)}
        </p>
        <p className="mt-1 text-muted wrap-anywhere">
          <ExactText text={run.message ?? ''} />
        </p>
      </div>
      {found.includes(run.outcome) && <Found subject={subject} result={result} />}
      <div className="mt-1 flex justify-end gap-2">
        <Button
          kind={isUnreached ? 'primary' : 'plain'}
          className={`h-8 ${isUnreached ? 'order-last' : 'mr-auto'}`}
          onClick={shrinkAgain}
          ref={isUnreached ? first : undefined}
        >
          {isUnreached ? 'Try again…' : 'Shrink again…'}
        </Button>
        <Button
          kind={isUnreached ? 'plain' : 'primary'}
          className="h-8"
          onClick={onDone}
          ref={isUnreached ? undefined : first}
        >
          {isUnreached ? 'Close' : 'Done'}
        </Button>
      </div>
    </div>
  )
}

/** Most characters and bytes shown. Rendering thousands of lines would block the window. */
const TEXT_SHOWN = 32_768
const HEX_SHOWN = 4_096

function Found({ subject, result }: Omit<ShrinkResultProps, 'onDone'>) {
  const compare = useApp((state) => state.compare.start)
  const closeOverlay = useApp((state) => state.navigation.closeOverlay)
  const composeReplay = useApp((state) => state.replay.compose)
  const { run, base64, fields } = result
  const bytes = fromBase64(base64)
  const text = utf8Text(bytes, false)
  const shownBytes = text === null ? HEX_SHOWN : TEXT_SHOWN
  const shown = text?.slice(0, TEXT_SHOWN) ?? ''
  const isOther =
    result.failure !== null && run.failure !== null && result.failure.answer !== run.failure.answer
  return (
    <>
      <p className="text-small text-muted">
        {byteSize(run.originalSize)} reduced to {byteSize(run.size)} in {run.sends} requests. The
        handler {shrinkFailureWords(run)}.
      </p>
      <pre
        aria-label="Smallest body"
        tabIndex={0}
        className="data max-h-56 overflow-auto rounded-control border border-line bg-ground px-3 py-2 wrap-anywhere whitespace-pre-wrap"
      >
        {text === null ? (
          hexOf(bytes)
        ) : run.kind === 'json' ? (
          <JsonText text={shown} />
        ) : (
          <ExactText text={shown} />
        )}
      </pre>
      {bytes.length > shownBytes && (
        <p className="text-small text-subtle">
          Showing the first {byteSize(shownBytes)} of {byteSize(bytes.length)}. Copy, compare and
          replay use all of it.
        </p>
      )}
      {fields.length > 0 && <Fields result={result} />}
      {isOther && (
        <p
          role="note"
          className="rounded-control border border-warn bg-warn-wash px-3 py-2 wrap-anywhere"
        >
          The response differs from the original one, so this may be a different failure. Shrink
          again with a text that the right response contains.
          <Answers result={result} />
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {text !== null && (
          <Button
            icon={<GitCompareArrows size={13} aria-hidden />}
            onClick={() => {
              closeOverlay()
              void compare({ kind: 'delivery', id: run.deliveryId }, { kind: 'text', text })
            }}
          >
            Compare with original
          </Button>
        )}
        {text !== null && (
          <Button
            icon={<SlidersHorizontal size={13} aria-hidden />}
            onClick={() => {
              composeReplay({ kind: 'rows', rows: [subject], begun: { target: run.target, text } })
            }}
          >
            Open in composer…
          </Button>
        )}
        <Button
          icon={<FileDown size={13} aria-hidden />}
          onClick={() => {
            saveBytes(bytes, `smallest-${run.deliveryId}.${run.kind === 'json' ? 'json' : 'bin'}`)
          }}
        >
          Save
        </Button>
        {text !== null && (
          <CopyButton text={text} label="Copy smallest body" caption="Copy" className="h-7" />
        )}
      </div>
    </>
  )
}

function Fields({ result: { run, fields } }: { readonly result: ShrinkResult }) {
  return (
    <table className="w-full table-fixed border-collapse text-left">
      <caption className="pb-1 text-left text-small font-medium text-muted">
        {run.outcome === 'smallest' ? 'Required fields' : 'Remaining fields'}
      </caption>
      <colgroup>
        <col className="w-[42%]" />
        <col />
        <col className="w-32" />
      </colgroup>
      <tbody>
        {fields.map(({ path, value, needed }) => (
          <tr key={`${path} ${value}`} className="border-t border-line/60 align-top">
            <th scope="row" className="data py-1 pr-4 font-normal wrap-anywhere">
              <ExactText text={path} />
            </th>
            <td className="data py-1 pr-4 wrap-anywhere">
              <JsonText text={value} />
            </td>
            <td className="py-1 text-right text-small whitespace-nowrap text-muted">
              {neededWords(run.outcome, needed)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Answers({ result: { run, failure } }: { readonly result: ShrinkResult }) {
  return (
    <span className="data mt-1.5 block text-small text-muted">
      <span className="block">
        Before:{' '}
        {run.failure?.answer === '' ? '(empty)' : <ExactText text={run.failure?.answer ?? ''} />}
      </span>
      <span className="block">
        Now: {failure?.answer === '' ? '(empty)' : <ExactText text={failure?.answer ?? ''} />}
      </span>
    </span>
  )
}

function hexOf(bytes: Uint8Array): string {
  return [...bytes.subarray(0, HEX_SHOWN)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join(' ')
}
