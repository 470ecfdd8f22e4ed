/** Previews the request as it would be sent now, without sending it. */
import { useEffect, useState } from 'react'
import { utf8Text } from '../../../shared/body/encoding.ts'
import type { InputOf, OutputOf } from '../../../shared/contract/contract.ts'
import { useApp } from '../../state/use-app.ts'
import { fromBase64 } from '../../ui/bytes.ts'
import type { CallProblem } from '../../ui/call-problem.ts'
import { ExactLines } from '../../ui/exact-text.tsx'
import { byteCount } from '../../ui/moment.ts'
import { ProblemView } from '../../ui/problem-view.tsx'

/** Delay after typing before the preview updates. */
const PAUSE_MS = 250
const SHOWN_CHARACTERS = 20_000

type Preview = OutputOf<'replay.preview'>

export function PreviewView({ input }: { readonly input: InputOf<'replay.preview'> }) {
  const preview = useApp((state) => state.replay.preview)
  const [made, setMade] = useState<Preview | null>(null)
  const [problem, setProblem] = useState<CallProblem | null>(null)
  const asked = JSON.stringify(input)
  useEffect(() => {
    let wanted = true
    const timer = setTimeout(() => {
      void preview(JSON.parse(asked) as InputOf<'replay.preview'>).then((outcome) => {
        if (!wanted) return
        setProblem(outcome.ok ? null : outcome.problem)
        if (outcome.ok) setMade(outcome.value)
      })
    }, PAUSE_MS)
    return () => {
      wanted = false
      clearTimeout(timer)
    }
  }, [preview, asked])
  return (
    <div className="h-full overflow-auto px-4 py-3" tabIndex={0} role="group" aria-label="Request">
      {problem !== null ? (
        <ProblemView problem={problem} />
      ) : (
        made !== null && <RequestText preview={made} />
      )}
    </div>
  )
}

function RequestText({
  preview: { method, target, headers, base64, signedUrl },
}: {
  readonly preview: Preview
}) {
  const { pathname, search, host } = new URL(target)
  const bytes = fromBase64(base64)
  const text = utf8Text(bytes, false)
  return (
    <>
      <p className="mb-2 text-small text-subtle">
        To <span className="data">{host}</span>.
        {signedUrl !== null && ' Signed just now. Re-signed on send.'}
      </p>
      <pre className="data leading-5 wrap-anywhere whitespace-pre-wrap">
        <ExactLines
          text={[
            `${method} ${pathname}${search} HTTP/1.1`,
            ...headers.map(([name, value]) => `${name}: ${value}`),
            '',
          ].join('\n')}
        />
        {text === null ? (
          <span className="font-sans text-subtle">{byteCount(bytes.length)}, binary</span>
        ) : (
          <ExactLines text={text.slice(0, SHOWN_CHARACTERS)} />
        )}
      </pre>
      {text !== null && text.length > SHOWN_CHARACTERS && (
        <p className="text-small text-subtle">Showing the start of {byteCount(bytes.length)}.</p>
      )}
    </>
  )
}
