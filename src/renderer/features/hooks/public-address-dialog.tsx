/** Sets the public URL, either a custom one or a tunnel started here, then offers to re-point hooks under the old URL. */
import { useState } from 'react'
import type { ReceiverStatus, TunnelStatus, TunnelProvider } from '../../../shared/model/status.ts'
import { useApp, useAppParts, useAppStore } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { FormFoot } from '../../ui/dialog.tsx'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Segments } from '../../ui/segments.tsx'
import { useForm } from '../../ui/use-form.ts'
import { AddressTestView } from './address-test.tsx'
import { hooksUnder } from '../../../shared/service/hook-rules.ts'
import { Moved, Repoint, type Move, type Repointed } from './repoint-hooks.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useCall, useOutcome } from '../../ui/use-outcome.ts'

/** The URL of a tunnel or proxy that runs elsewhere. Can be cleared. */
function PastedAddress({
  onChanged,
  onDone,
}: {
  readonly onChanged: (url: string | null) => void
  readonly onDone: () => void
}) {
  const { receiver, tunnel } = useAppParts((state) => ({
    receiver: state.core.status?.receiver ?? null,
    tunnel: state.core.tunnel,
  }))
  const call = useCall()
  const setPublicUrl = (url: string | null) => call('receiver.setPublicUrl', { url })
  const ofTunnel = tunnel !== null && tunnel.url !== null && tunnel.url === receiver?.publicUrl
  const form = useForm({
    begin: () => ({ url: ofTunnel ? '' : (receiver?.publicUrl ?? '') }),
    submit: ({ url }) => setPublicUrl(url.trim().replace(/\/+$/, '') || null),
    onDone: (changed: ReceiverStatus) => void leadOn(changed),
  })
  const { draft, busy, problem } = form
  const leadOn = async (changed: ReceiverStatus) => {
    if (isRunning(tunnel)) await call('tunnels.stop', {})
    onChanged(changed.publicUrl ?? changed.url)
  }
  const clearAddress = async () => {
    const changed = await form.run(() => setPublicUrl(null))
    if (changed !== null) await leadOn(changed)
  }
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <TextField
        label="URL"
        inputMode="url"
        placeholder="https://"
        hint={`HTTPS. Must forward requests to ${receiver?.url ?? 'the receiver'} with the path unchanged.`}
        problem={problem === null ? undefined : (problem.findings[0]?.message ?? problem.message)}
        value={draft.url}
        onChange={(url) => form.change({ url })}
      />
      {receiver?.publicUrl !== null && receiver?.publicUrl === draft.url && <AddressTestView />}
      <FormFoot
        onCancel={onDone}
        action="Save URL"
        busyWords="Saving…"
        busy={busy}
        aside={
          receiver?.publicUrl !== null && (
            <Button className="mr-auto" disabled={busy} onClick={() => void clearAddress()}>
              Clear URL
            </Button>
          )
        }
      />
    </form>
  )
}

export function PublicAddressDialog() {
  return (
    <OverlayDialog
      overlay="public-address"
      title="Public URL"
      description="The URL of your tunnel or proxy. The service reaches this computer through it, and new hooks are registered under it."
    >
      {(close) => <Steps onDone={close} />}
    </OverlayDialog>
  )
}

function Steps({ onDone }: { readonly onDone: () => void }) {
  const [move, setMove] = useState<Move | null>(null)
  const [moved, setMoved] = useState<Repointed | null>(null)
  if (moved !== null) return <Moved moved={moved} onDone={onDone} />
  if (move !== null) return <Repoint move={move} onMoved={setMoved} onDone={onDone} />
  return <Ways onMove={setMove} onDone={onDone} />
}

const ways = [
  { value: 'own', label: 'Custom' },
  { value: 'cloudflared', label: 'cloudflared' },
  { value: 'ngrok', label: 'ngrok' },
] as const
type Way = (typeof ways)[number]['value']

function isRunning(tunnel: TunnelStatus | null): tunnel is TunnelStatus {
  return tunnel?.state === 'starting' || tunnel?.state === 'up'
}

function Ways({
  onMove,
  onDone,
}: {
  /** The URL changed while hooks still point to the previous one. */
  readonly onMove: (move: Move) => void
  readonly onDone: () => void
}) {
  const store = useAppStore()
  const { tunnel, receiver } = useAppParts((state) => ({
    tunnel: state.core.tunnel,
    receiver: state.core.status?.receiver ?? null,
  }))
  const [from] = useState(receiver?.publicUrl ?? receiver?.url ?? null)
  const [way, setWay] = useState<Way>(isRunning(tunnel) ? (tunnel.provider ?? 'own') : 'own')
  /** Whether hooks have to follow. */
  const leadOn = (to: string | null): boolean => {
    const isBehind =
      from !== null &&
      to !== null &&
      from !== to &&
      hooksUnder(store.getState().core.hooks, from).length > 0
    if (isBehind) onMove({ from, to })
    return isBehind
  }
  return (
    <div className="flex flex-col gap-4">
      <div>
        <Segments label="Tunnel" options={ways} value={way} onChange={setWay} />
      </div>
      {way === 'own' ? (
        <PastedAddress
          onChanged={(url) => {
            if (!leadOn(url)) onDone()
          }}
          onDone={onDone}
        />
      ) : (
        <TunnelPanel key={way} provider={way} onStarted={leadOn} onDone={onDone} />
      )}
    </div>
  )
}

// A tunnel tool: starts its tunnel, shows its URL, and stops it.

const about: Readonly<Record<TunnelProvider, string>> = {
  cloudflared:
    'Cloudflare quick tunnel: no account, a new URL each time. Runs until you stop it or quit Countersign.',
  ngrok:
    'A tunnel of your ngrok account, with the token in its own configuration. Runs until you stop it or quit Countersign.',
}

function TunnelPanel({
  provider,
  onStarted,
  onDone,
}: {
  readonly provider: TunnelProvider
  /** The tunnel is up: its URL is the public URL. */
  readonly onStarted: (url: string) => void
  readonly onDone: () => void
}) {
  const tunnel = useApp(({ core }) => (core.tunnel?.provider === provider ? core.tunnel : null))
  const call = useCall()
  const { busy, problem, run } = useOutcome()
  const [domain, setDomain] = useState('')
  const running = isRunning(tunnel)
  const submit = async () => {
    const input = { provider, domain: domain.trim() === '' ? null : domain.trim() }
    const started = await run(() => call('tunnels.start', input))
    if (started !== null && started.url !== null) onStarted(started.url)
  }
  return (
    <form
      className="flex flex-col gap-3.5"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <p className="text-muted">{about[provider]}</p>
      {!running && provider === 'ngrok' && (
        <TextField
          label="Domain"
          optional
          placeholder="me.ngrok.dev"
          hint="A domain of your account. Leave empty to have ngrok assign one."
          problem={problem?.findings[0]?.message}
          value={domain}
          onChange={setDomain}
        />
      )}
      <div role="status" className="flex flex-col gap-1">
        {running && (
          <p className="font-medium">
            {provider} {tunnel.state === 'up' ? 'tunnel running' : 'is starting…'}
          </p>
        )}
        {tunnel !== null && tunnel.url !== null && (
          <p className="flex items-start gap-1">
            <span className="data min-w-0 flex-1 py-1 wrap-anywhere">{tunnel.url}</span>
            <CopyButton text={tunnel.url} label="Copy link" />
          </p>
        )}
        {tunnel?.state === 'stopped' && tunnel.problem !== null && problem === null && (
          <p className="text-bad wrap-anywhere">
            <ExactText text={tunnel.problem} />
          </p>
        )}
      </div>
      {tunnel?.state === 'up' && <AddressTestView />}
      {problem !== null && problem.findings.length === 0 && <ProblemView problem={problem} />}
      {running ? (
        <div className="mt-1 flex items-center gap-2">
          <Button className="mr-auto" onClick={() => void run(() => call('tunnels.stop', {}))}>
            Stop tunnel
          </Button>
          <Button kind="primary" onClick={onDone}>
            Done
          </Button>
        </div>
      ) : (
        <FormFoot onCancel={onDone} action="Start tunnel" busyWords="Starting…" busy={busy} />
      )}
    </form>
  )
}
