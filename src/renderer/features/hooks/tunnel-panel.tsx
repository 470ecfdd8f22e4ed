/** A tunnel tool: starts its tunnel, shows its URL, and stops it. */
import { useState } from 'react'
import type { TunnelProvider } from '../../../shared/model/tunnel.ts'
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { FormFoot } from '../../ui/dialog.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'
import { AddressTestView } from './address-test.tsx'

interface TunnelPanelProps {
  readonly provider: TunnelProvider
  /** The tunnel is up: its URL is the public URL. */
  readonly onStarted: (url: string) => void
  readonly onDone: () => void
}

const about: Readonly<Record<TunnelProvider, string>> = {
  cloudflared:
    'Cloudflare quick tunnel: no account, a new URL each time. Runs until you stop it or quit Countersign.',
  ngrok:
    'A tunnel of your ngrok account, with the token in its own configuration. Runs until you stop it or quit Countersign.',
}

export function TunnelPanel({ provider, onStarted, onDone }: TunnelPanelProps) {
  const { tunnel, start, stop } = useAppParts((state) => ({
    tunnel: state.tunnel.state?.provider === provider ? state.tunnel.state : null,
    start: state.tunnel.start,
    stop: state.tunnel.stop,
  }))
  const { busy, problem, run } = useOutcome()
  const [domain, setDomain] = useState('')
  const isRunning = tunnel?.state === 'starting' || tunnel?.state === 'up'
  const submit = async () => {
    const input = { provider, domain: domain.trim() === '' ? null : domain.trim() }
    const started = await run(() => start(input))
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
      {!isRunning && provider === 'ngrok' && (
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
        {isRunning && (
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
      {isRunning ? (
        <div className="mt-1 flex items-center gap-2">
          <Button className="mr-auto h-8" onClick={() => void run(stop)}>
            Stop tunnel
          </Button>
          <Button kind="primary" className="h-8" onClick={onDone}>
            Done
          </Button>
        </div>
      ) : (
        <FormFoot onCancel={onDone} action="Start tunnel" busyWords="Starting…" busy={busy} />
      )}
    </form>
  )
}
