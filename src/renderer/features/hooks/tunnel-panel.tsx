/** A tunnel tool: how to install it, and how to start and stop its tunnel. */
import { CircleX, LoaderCircle, RotateCw, Waypoints } from 'lucide-react'
import { useState, type FormEvent, type ReactNode } from 'react'
import {
  TUNNEL_PATIENCE_SECONDS,
  type TunnelProgram,
  type TunnelStatus,
} from '../../../shared/model/tunnel.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { FormFoot } from '../../ui/dialog.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'
import { AddressTestView } from './address-test.tsx'
import { NgrokFields, type NgrokAccount } from './ngrok-fields.tsx'
import { pointsStill, possibleMoves, type Move } from './repoint-hooks.tsx'

export interface TunnelPanelProps {
  readonly program: TunnelProgram
  readonly onMove: (move: Move) => void
  readonly onDone: () => void
}

const NO_ACCOUNT: NgrokAccount = { token: '', domain: '' }

/** Whether this tool's tunnel is running or retrying. */
export function isRunning(tunnel: TunnelStatus | null): boolean {
  return tunnel !== null && ['starting', 'up', 'failing'].includes(tunnel.state)
}

export function TunnelPanel({ program, onMove, onDone }: TunnelPanelProps) {
  const tunnel = useApp((state) => state.tunnel.state)
  const own = tunnel?.provider === program.provider ? tunnel : null
  if (own !== null && isRunning(own))
    return <Running tunnel={own} onMove={onMove} onDone={onDone} />
  if (program.path === null) return <Missing program={program} onDone={onDone} />
  return <Ready program={program} tunnel={tunnel} own={own} onDone={onDone} />
}

const about: Readonly<Record<TunnelProgram['provider'], string>> = {
  cloudflared:
    'Cloudflare quick tunnel: no account, a new URL each time. Runs until you stop it or quit Countersign.',
  ngrok: 'A tunnel of your ngrok account. Runs until you stop it or quit Countersign.',
}

function Missing({
  program,
  onDone,
}: {
  readonly program: TunnelProgram
  readonly onDone: () => void
}) {
  const { provider, install, page } = program
  const find = useApp((state) => state.tunnel.findPrograms)
  const isCommand = !install.startsWith('see ')
  return (
    <div className="flex flex-col gap-3.5">
      <div>
        <p className="font-medium">{provider} isn't installed on this computer.</p>
        <p className="mt-0.5 text-muted">
          {isCommand
            ? 'Run this in a terminal, then check again.'
            : 'Install it for your system, then check again.'}
        </p>
      </div>
      {isCommand && <Line text={install} label="Copy the command" />}
      <div className="flex flex-col gap-1">
        <p className="text-small text-subtle">
          {program.needsToken ? 'Find the token in your account:' : 'More information:'}
        </p>
        <Line text={page} label="Copy link" />
      </div>
      <div className="mt-1 flex justify-end gap-2">
        <Button className="h-8" onClick={onDone}>
          Cancel
        </Button>
        <Button
          kind="primary"
          className="h-8"
          icon={<RotateCw size={13} aria-hidden />}
          onClick={() => void find()}
        >
          Check again
        </Button>
      </div>
    </div>
  )
}

function Line({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <p className="flex items-start gap-1 rounded-control border border-line bg-ground py-1 pr-1 pl-2.5">
      <span className="data min-w-0 flex-1 py-1 wrap-anywhere">{text}</span>
      <CopyButton text={text} label={label} />
    </p>
  )
}

interface ReadyProps {
  readonly program: TunnelProgram
  readonly tunnel: TunnelStatus | null
  readonly own: TunnelStatus | null
  readonly onDone: () => void
}

function Ready({ program, tunnel, own, onDone }: ReadyProps) {
  const { provider, path, needsToken, tokenHint } = program
  const { start, setToken, clearProblem } = useTunnelStart()
  const [account, setAccount] = useState(NO_ACCOUNT)
  const { busy, problem, run } = start
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      if (needsToken && account.token !== '') {
        const kept = await setToken(account.token)
        if (!kept.ok) return kept
        setAccount({ ...account, token: '' })
      }
      return start.call(provider, account.domain.trim())
    })
  }
  const other = isRunning(tunnel) && own === null ? tunnel?.provider : null
  return (
    <form className="flex flex-col gap-3.5" noValidate onSubmit={submit}>
      <p className="text-muted">{about[provider]}</p>
      {own?.state === 'stopped' && own.problem !== null && (
        <div
          role="alert"
          className="rounded-control border border-bad bg-bad-wash px-3 py-2 text-bad wrap-anywhere"
        >
          <p className="font-medium">The tunnel failed.</p>
          <p>
            <ExactText text={own.problem} />
          </p>
        </div>
      )}
      <dl className="grid grid-cols-[64px_minmax(0,1fr)] text-small">
        <dt className="text-subtle">Found at</dt>
        <dd className="data wrap-anywhere text-muted">{path}</dd>
      </dl>
      {needsToken && (
        <NgrokFields
          account={account}
          tokenHint={tokenHint}
          page={program.page}
          problem={problem}
          onChange={(next) => {
            setAccount(next)
            clearProblem()
          }}
        />
      )}
      {problem !== null && problem.findings.length === 0 && <ProblemView problem={problem} />}
      {other !== null && <p className="text-small text-muted">Replaces the {other} tunnel.</p>}
      <FormFoot onCancel={onDone} action="Start tunnel" busyWords="Starting…" busy={busy} />
    </form>
  )
}

function useTunnelStart() {
  const { start: startTunnel, setToken } = useParts('tunnel', 'start', 'setToken')
  const outcome = useOutcome()
  return {
    start: {
      ...outcome,
      call: (provider: TunnelProgram['provider'], domain: string) =>
        startTunnel({ provider, domain: domain === '' ? null : domain }),
    },
    setToken,
    clearProblem: outcome.clear,
  }
}

interface RunningProps {
  readonly tunnel: TunnelStatus
  readonly onMove: (move: Move) => void
  readonly onDone: () => void
}

function Running({ tunnel, onMove, onDone }: RunningProps) {
  const { receiver, hooks, stopTunnel } = useAppParts((state) => ({
    receiver: state.core.status?.receiver ?? null,
    hooks: state.core.hooks,
    stopTunnel: state.tunnel.stop,
  }))
  const { busy, problem, run } = useOutcome()
  const isPublic = tunnel.url !== null && tunnel.url === receiver?.publicUrl
  const moves =
    receiver === null || tunnel.state !== 'up' ? [] : possibleMoves(tunnel, receiver, hooks)
  return (
    <div className="flex flex-col gap-3.5">
      <div role="status" className="flex flex-col gap-1">
        <State tunnel={tunnel} />
        {tunnel.url !== null && <Line text={tunnel.url} label="Copy link" />}
        {tunnel.target !== null && (
          <p className="text-small text-subtle wrap-anywhere">
            Forwards to <span className="data">{tunnel.target}</span>
            {tunnel.state === 'up' && !isPublic && '. Your custom public URL stays in use.'}
          </p>
        )}
        {tunnel.state === 'up' && tunnel.since !== null && (
          <p className="text-small text-subtle">
            Running since {calendarDay(tunnel.since)}{' '}
            <span className="data">{clockTime(tunnel.since).slice(0, 8)}</span>, until you stop it
            or quit Countersign.
          </p>
        )}
      </div>
      {isPublic && <AddressTestView />}
      {moves.map((move) => (
        <div key={move.from} className="flex items-center gap-3 border-t border-line pt-3">
          <p className="min-w-0 flex-1 wrap-anywhere">
            {pointsStill(hooks, move)} to <span className="data text-muted">{move.from}</span>
          </p>
          <Button
            onClick={() => {
              onMove(move)
            }}
          >
            Re-point…
          </Button>
        </div>
      ))}
      {problem !== null && <ProblemView problem={problem} />}
      <div className="mt-1 flex items-center gap-2">
        <Button className="mr-auto h-8" disabled={busy} onClick={() => void run(stopTunnel)}>
          {busy ? 'Stopping…' : 'Stop tunnel'}
        </Button>
        <Button kind="primary" className="h-8" onClick={onDone}>
          {tunnel.state === 'up' ? 'Done' : 'Hide'}
        </Button>
      </div>
    </div>
  )
}

function State({
  tunnel: { state, provider, problem, nextTryAt },
}: {
  readonly tunnel: TunnelStatus
}) {
  if (state === 'up')
    return (
      <>
        <Row icon={<Waypoints size={14} aria-hidden className="text-ok" />}>
          {provider} tunnel running
        </Row>
        {problem !== null && <p className="text-small text-warn wrap-anywhere">{problem}</p>}
      </>
    )
  if (state === 'failing')
    return (
      <>
        <Row icon={<CircleX size={14} aria-hidden className="text-bad" />}>
          The tunnel failed. Restarting
          {nextTryAt === null ? '' : ` at ${clockTime(nextTryAt).slice(0, 8)}`}.
        </Row>
        {problem !== null && (
          <p className="text-small text-bad wrap-anywhere">
            <ExactText text={problem} />
          </p>
        )}
      </>
    )
  return (
    <>
      <Row
        icon={
          <LoaderCircle
            size={14}
            aria-hidden
            className="animate-spin text-muted motion-reduce:animate-none"
          />
        }
      >
        {provider} is starting
      </Row>
      <p className="text-small text-subtle">
        Waiting for its URL, {TUNNEL_PATIENCE_SECONDS} s at most.
      </p>
    </>
  )
}

function Row({ icon, children }: { readonly icon: ReactNode; readonly children: ReactNode }) {
  return (
    <p className="flex items-center gap-2 font-medium">
      {icon}
      {children}
    </p>
  )
}
