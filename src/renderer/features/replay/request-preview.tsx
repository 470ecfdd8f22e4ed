/** The preview of the composer's request. */
import type { InputOf, OutputOf } from '../../../shared/contract/contract.ts'
import { Code } from '../../ui/code.tsx'
import { utf8Text } from '../../../shared/body/encoding.ts'
import { fromBase64 } from '../../core-data/bytes.ts'
import { useRead } from '../../core-data/use-read.ts'
import { QuotedText } from '../../ui/finding-text.tsx'
import { byteCount } from '../../ui/moment.ts'
import { useSettled } from '../../ui/use-form.ts'

/** Delay after typing before the preview updates. */
const PAUSE_MS = 250

const SHOWN_CHARACTERS = 20_000

export function PreviewView({ input }: { readonly input: InputOf<'replay.preview'> }) {
  const settled = useSettled(JSON.stringify(input), PAUSE_MS)
  const { output, problem } = useRead(
    'replay.preview',
    JSON.parse(settled) as InputOf<'replay.preview'>,
    { keep: true },
  )
  return (
    <div className="flex h-full flex-col">
      {problem !== null ? (
        <p role="alert" className="px-5 py-3 text-bad wrap-anywhere">
          <QuotedText text={problem} />
        </p>
      ) : (
        output !== undefined && <RequestText preview={output} />
      )}
    </div>
  )
}

function RequestText({
  preview: { method, target, headers, base64, signedUrl },
}: {
  readonly preview: OutputOf<'replay.preview'>
}) {
  const { pathname, search, host } = new URL(target)
  const bytes = fromBase64(base64)
  const text = utf8Text(bytes, false)
  return (
    <>
      <p className="px-5 py-2 text-small text-subtle">
        To <span className="data">{host}</span>.
        {signedUrl !== null && ' Signed just now. Re-signed on send.'}
      </p>
      <Code
        label="Request"
        className="min-h-0 flex-1"
        json={false}
        text={[
          `${method} ${pathname}${search} HTTP/1.1`,
          ...headers.map(([name, value]) => `${name}: ${value}`),
          '',
          text?.slice(0, SHOWN_CHARACTERS) ?? '',
        ].join('\n')}
      />
      {text === null && (
        <p className="px-5 py-1 text-small text-subtle">{byteCount(bytes.length)}, binary</p>
      )}
      {text !== null && text.length > SHOWN_CHARACTERS && (
        <p className="px-5 py-1 text-small text-subtle">
          Showing the start of {byteCount(bytes.length)}.
        </p>
      )}
    </>
  )
}
