/** Shown before the first delivery: three steps to get one, each marked when done. */
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { signingPrefix } from '../../../shared/service/header-rules.ts'
import { signedCurl } from '../../../shared/snippets/curl.ts'
import { environmentOf } from '../../state/environments.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { TourOffer } from '../tour/index.ts'
import { SampleButton } from './toolbar.tsx'

/** Placeholder for the secret. */
const SECRET_PLACEHOLDER = 'YOUR-HOOK-SECRET'

export function FirstRun() {
  const { hooks, status, environments } = useParts('core', 'hooks', 'status', 'environments')
  const { openOverlay, go } = useParts('navigation', 'openOverlay', 'go')
  const revealSecret = useApp((state) => state.hooks.revealSecret)
  const connected = useApp((state) => state.core.connection.phase === 'open')
  if (status === null) return null
  const receiver = status.receiver.url
  const listening = connected && status.receiver.state === 'listening'
  const hook =
    hooks.find(
      (one) => one.status === 'active' && receiver !== null && one.url.startsWith(receiver),
    ) ?? hooks.find((one) => one.status === 'active')
  const url = hook?.url ?? (receiver === null ? null : `${receiver}/h/my-hook`)
  const prefix = signingPrefix(environmentOf(environments), { hook })
  const curl = (secret: string) =>
    url === null ? '' : signedCurl({ url, caFile: status.caFile, secret, prefix })
  const curlWithSecret = async () => {
    if (hook === undefined) return curl(SECRET_PLACEHOLDER)
    const secret = await revealSecret(hook.id)
    return secret === null ? null : curl(secret)
  }

  return (
    <div
      className="min-h-0 flex-1 overflow-auto"
      tabIndex={0}
      role="region"
      aria-label="Get started"
    >
      <div className="mx-auto flex max-w-[760px] flex-col px-6 pt-10 pb-8">
        <h2 className="text-display font-medium">
          {hook === undefined ? 'Receive your first webhook' : 'Waiting for the first delivery'}
        </h2>
        <p className="mt-1 mb-6 text-muted">
          Countersign stores every delivery byte for byte, verifies its signature, and explains
          what's wrong with it.
        </p>
        <div className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-2">
          <TourOffer kind="primary" />
          <Button onClick={() => openOverlay('verify-request')}>Verify a request…</Button>
        </div>
        <ol className="flex flex-col">
          <Step number={1} title="Add a hook" done={hook !== undefined}>
            {hook === undefined ? (
              <>
                <p className="text-muted">
                  Signatures are verified with its URL and secret. "Send sample" below adds one for
                  you.
                </p>
                <div className="mt-2 flex gap-2">
                  <Button onClick={() => openOverlay('register-hook')}>Register hook…</Button>
                  <Button onClick={() => openOverlay('import-hook')}>Import hook…</Button>
                </div>
              </>
            ) : (
              <p className="text-muted">
                <span className="data text-text">{hook.event}</span> in {hook.environment}
                {hooks.length > 1 && `, and ${hooks.length - 1} more`}
              </p>
            )}
          </Step>
          <Step
            number={2}
            title="Point the sender to this URL"
            done={hook !== undefined && receiver !== null && hook.url.startsWith(receiver)}
          >
            {receiver === null && (
              <div className="mb-1 flex items-center gap-3">
                <p className="text-muted">
                  The receiver has no URL until it listens on a free port.
                </p>
                <Button onClick={() => go('settings', { section: 'receiver' })}>
                  Change port…
                </Button>
              </div>
            )}
            {url !== null && <Fact name="URL" value={url} />}
            <Fact name="CA file" value={status.caFile} />
            <p className="mt-1 text-small text-subtle">
              Clients need this CA certificate to trust the receiver.
            </p>
          </Step>
          <Step number={3} title="Send a delivery" done={false} last>
            <p className="text-muted">
              The sandbox sends a correctly signed transaction.auth over HTTPS.
            </p>
            <div className="mt-2 mb-4">
              <SampleButton kind="plain" />
            </div>
            {url !== null && (
              <>
                <div className="flex items-center gap-2">
                  <p className="flex-1 text-muted">Or sign one yourself, in a shell:</p>
                  <CopyButton
                    text={curlWithSecret}
                    label={hook === undefined ? 'Copy command' : 'Copy with secret'}
                    caption={hook === undefined ? 'Copy' : 'Copy with secret'}
                  />
                </div>
                <pre
                  tabIndex={0}
                  aria-label="Signed request with curl"
                  className="data mt-1 overflow-x-auto rounded-control border border-line bg-surface px-3 py-2 leading-5 text-muted"
                >
                  {curl(hook === undefined ? SECRET_PLACEHOLDER : (hook.secretHint ?? ''))}
                </pre>
              </>
            )}
          </Step>
        </ol>
        <p className="mt-6 flex items-center gap-2 text-small text-muted" role="status">
          <span
            className={`size-2 rounded-full ${listening ? 'breathe bg-accent' : 'bg-edge'}`}
            aria-hidden
          />
          {listening
            ? 'Listening. The first delivery appears here.'
            : 'Not receiving. The first delivery appears here once capture works.'}
        </p>
      </div>
    </div>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly done: boolean
  readonly last?: boolean
  readonly children: ReactNode
}

function Step({ number, title, done, last = false, children }: StepProps) {
  return (
    <li className="grid grid-cols-[24px_1fr] gap-x-3">
      <div className="flex flex-col items-center">
        <span
          className={`data flex size-6 items-center justify-center rounded-full border ${done ? 'border-ok text-ok' : 'border-edge text-muted'}`}
          aria-hidden
        >
          {done ? <Check size={13} strokeWidth={2.5} /> : number}
        </span>
        {!last && <span className="w-px flex-1 bg-line" />}
      </div>
      <div className={last ? 'min-w-0' : 'min-w-0 pb-6'}>
        <h3 className="mb-0.5 leading-6 font-medium">
          {title}
          {done && <span className="sr-only"> (done)</span>}
        </h3>
        {children}
      </div>
    </li>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex h-7 items-center gap-3">
      <span className="w-20 shrink-0 text-small text-subtle">{name}</span>
      <span className="data min-w-0 truncate text-text" title={value}>
        {value}
      </span>
      <CopyButton text={value} label={`Copy ${name}`} />
    </div>
  )
}
