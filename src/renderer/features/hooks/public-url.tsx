/**
 * The URL for new hooks, local or public: the bar above the hooks with its state, and its dialog,
 * where a tunnel or proxy is set, tested and followed by the hooks under the URL before.
 */
import { Globe, House, LoaderCircle } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { OutputOf } from '../../../shared/contract/contract.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { addressTests, calls } from '../../../shared/model/service-outcomes.ts'
import type { ReceiverStatus } from '../../../shared/model/status.ts'
import type { TunnelProvider, TunnelStatus } from '../../../shared/model/tunnel.ts'
import { hooksUnder } from '../../../shared/service/hook-rules.ts'
import { counted } from '../../../shared/text/counted.ts'
import { useApp, useAppParts, useAppStore } from '../../ui-state/use-app.ts'
import { Banner } from '../../ui/message.tsx'
import { Button } from '../../ui/button.tsx'
import type { CallResult } from '../../ui/call-problem.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText, Middle } from '../../ui/exact-text.tsx'
import { TextField } from '../../ui/field.tsx'
import { EnvironmentName, OutcomeIcon, OutcomeMark } from '../../ui/outcome-mark.tsx'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { Segments } from '../../ui/segments.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useCall, useOutcome } from '../../ui/use-outcome.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { Warnings } from './warnings.tsx'
import { DoneFoot } from '../../ui/form-foot.tsx'

/** Returns the URL that hooks are registered under, and the tunnel that may lead there. */
function useAddress() {
  return useAppParts(({ core }) => {
    const receiver = core.status?.receiver ?? null
    return { receiver, tunnel: core.tunnel, url: receiver?.publicUrl ?? receiver?.url ?? null }
  })
}

const isRunning = (tunnel: TunnelStatus | null) =>
  tunnel?.state === 'starting' || tunnel?.state === 'up'

export function PublicUrlBar() {
  const { receiver, tunnel, url } = useAddress()
  const hooks = useApp((state) => state.core.hooks)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  if (receiver === null) return null
  const isLocal = receiver.publicUrl === null
  // A plain local URL has no state to report, so narrow windows hide it.
  const isPlain = isLocal && tunnel?.state !== 'starting' && tunnel?.problem == null
  // Hooks under expired URLs receive nothing.
  const expired = tunnel?.earlier.find((one) => one !== url && hooksUnder(hooks, one).length > 0)
  const Icon = isLocal ? House : Globe
  return (
    <>
      <div className="@container flex min-h-9 shrink-0 items-center gap-2 border-b border-line bg-surface pr-3 pl-4 text-small">
        <Icon size={13} className={`shrink-0 ${isLocal ? 'text-subtle' : 'text-accent'}`} />
        <span className="shrink-0 text-subtle max-[1000px]:sr-only">
          {isLocal ? 'URL' : 'Public URL'}
        </span>
        {url === null ? (
          <span className="flex-1 text-muted">The receiver isn't listening.</span>
        ) : (
          <>
            <Middle text={url} tail={8} className="data text-text" />
            <CopyButton text={url} label="Copy the URL for new hooks" />
            <span
              className={`flex flex-1 items-center text-subtle ${isPlain ? 'min-w-0 @max-[520px]:invisible' : 'min-w-26'}`}
            >
              <Condition receiver={receiver} tunnel={tunnel} />
            </span>
          </>
        )}
        <Button kind="quiet" className="text-small" onClick={() => openOverlay('public-address')}>
          {isLocal ? 'Set public URL…' : 'Change…'}
        </Button>
      </div>
      {expired !== undefined && url !== null && (
        <Banner
          tone="warn"
          title={`${pointingWords(hooksUnder(hooks, expired))} to an expired URL.`}
          action={
            <Button className="shrink-0" onClick={() => openOverlay('public-address', expired)}>
              Re-point…
            </Button>
          }
        >
          <span className="data wrap-anywhere">{expired}</span>
        </Banner>
      )}
    </>
  )
}

/** Shows the state of the URL in a few words. */
function Condition({
  receiver,
  tunnel,
}: {
  readonly receiver: ReceiverStatus
  readonly tunnel: TunnelStatus | null
}): ReactNode {
  if (tunnel?.state === 'starting')
    return (
      <span role="status" className="inline-flex items-center gap-1.5 text-muted">
        <LoaderCircle size={13} className="animate-spin motion-reduce:animate-none" />
        {tunnel.provider} is starting…
      </span>
    )
  if (tunnel?.state === 'stopped' && tunnel.problem !== null)
    return (
      <span role="status" className="truncate text-bad" title={tunnel.problem}>
        {tunnel.provider} failed
      </span>
    )
  if (receiver.publicUrl === null)
    return <span className="truncate">Reachable from this computer only</span>
  if (tunnel?.test != null) return <OutcomeMark outcome={addressTests[tunnel.test.outcome]} />
  return <span className="truncate">Forwards to {receiver.url ?? 'the receiver'}</span>
}

/** Sets the public URL. What the overlay is about is the URL before, if hooks still point to it. */
export function PublicUrlDialog() {
  const from = useApp((state) => state.navigation.about)
  return (
    <OverlayDialog
      overlay="public-address"
      title={from === null ? 'Public URL' : 'Re-point hooks'}
      description={
        from === null
          ? 'The URL of your tunnel or proxy. The service reaches this computer through it, and new hooks are registered under it.'
          : 'Registers the same paths under the new URL.'
      }
    >
      {(close) =>
        from === null ? <UrlForm onDone={close} /> : <Repoint from={from} onDone={close} />
      }
    </OverlayDialog>
  )
}

const ways = [
  { value: 'own', label: 'Custom' },
  { value: 'cloudflared', label: 'cloudflared' },
  { value: 'ngrok', label: 'ngrok' },
] as const
type Way = (typeof ways)[number]['value']

const about: Readonly<Record<TunnelProvider, string>> = {
  cloudflared:
    'Cloudflare quick tunnel: no account, a new URL each time. Runs until you stop it or quit Countersign.',
  ngrok:
    'A tunnel of your ngrok account, with the token in its own configuration. Runs until you stop it or quit Countersign.',
}

interface UrlDraft {
  readonly url: string
  readonly domain: string
}

function UrlForm({ onDone }: { readonly onDone: () => void }) {
  const store = useAppStore()
  const { receiver, tunnel, url: now } = useAddress()
  const [before] = useState(now)
  const call = useCall()
  const isOwn = tunnel?.url == null || tunnel.url !== receiver?.publicUrl
  const publicUrl = isOwn ? (receiver?.publicUrl ?? '') : ''
  const [way, setWay] = useState<Way>(isRunning(tunnel) ? (tunnel?.provider ?? 'own') : 'own')
  const form = useForm<UrlDraft, string | null>({
    begin: () => ({ url: publicUrl, domain: '' }),
    async submit({ url, domain }): Promise<CallResult<string | null>> {
      if (way !== 'own') {
        const started = await call('tunnels.start', {
          provider: way,
          domain: domain.trim() || null,
        })
        return started.ok ? { ok: true, value: started.value.url } : started
      }
      const changed = await call('receiver.setPublicUrl', {
        url: url.trim().replace(/(?<!\/)\/+$/, '') || null,
      })
      if (!changed.ok) return changed
      if (isRunning(tunnel)) await call('tunnels.stop', {})
      return { ok: true, value: changed.value.publicUrl ?? changed.value.url }
    },
    onDone(url) {
      const { core, navigation } = store.getState()
      // Hooks have to follow.
      if (before !== null && url !== before && hooksUnder(core.hooks, before).length > 0)
        navigation.openOverlay('public-address', before)
      else if (way === 'own') onDone()
    },
  })
  const { draft, change, problem, busy } = form
  const fieldProblem = problem?.findings[0]?.message
  const shown = tunnel?.provider === way ? tunnel : null
  return (
    <form className="flex flex-col gap-4" {...form.element}>
      <div>
        <Segments
          label="Tunnel"
          options={ways}
          value={way}
          onChange={(value) => {
            setWay(value)
            form.clear()
          }}
        />
      </div>
      {way === 'own' ? (
        <TextField
          label="URL"
          inputMode="url"
          placeholder="https://"
          hint={`HTTPS. Must forward requests to ${receiver?.url ?? 'the receiver'} with the path unchanged. Leave empty for none.`}
          problem={fieldProblem ?? problem?.message}
          value={draft.url}
          onChange={(url) => change({ url })}
        />
      ) : (
        <p className="text-muted">{about[way]}</p>
      )}
      {way === 'ngrok' && !isRunning(shown) && (
        <TextField
          label="Domain"
          optional
          placeholder="me.ngrok.dev"
          hint="A domain of your account. Leave empty to have ngrok assign one."
          problem={fieldProblem}
          value={draft.domain}
          onChange={(domain) => change({ domain })}
        />
      )}
      {shown !== null && problem === null && <TunnelState tunnel={shown} />}
      {(way === 'own' ? publicUrl !== '' && publicUrl === draft.url : shown?.state === 'up') && (
        <TestView />
      )}
      {isRunning(shown) ? (
        <DoneFoot onDone={onDone}>
          <Button
            className="mr-auto"
            disabled={busy}
            onClick={() => void form.run(() => call('tunnels.stop', {}))}
          >
            Stop tunnel
          </Button>
        </DoneFoot>
      ) : (
        <FormEnd
          form={fieldProblem === undefined && way !== 'own' ? form : { ...form, problem: null }}
          action={way === 'own' ? 'Save URL' : 'Start tunnel'}
          busyWords={way === 'own' ? 'Saving…' : 'Starting…'}
          onCancel={onDone}
        />
      )}
    </form>
  )
}

function TunnelState({
  tunnel: { state, provider, url, problem },
}: {
  readonly tunnel: TunnelStatus
}) {
  return (
    <div role="status" className="flex flex-col gap-1">
      {state === 'up' && <p className="font-medium">{provider} tunnel running</p>}
      {state === 'starting' && <p className="font-medium">{provider} is starting…</p>}
      {url !== null && (
        <p className="flex items-start gap-1">
          <span className="data min-w-0 flex-1 py-1 wrap-anywhere">{url}</span>
          <CopyButton text={url} label="Copy link" />
        </p>
      )}
      {state === 'stopped' && problem !== null && (
        <p className="text-bad wrap-anywhere">
          <ExactText text={problem} />
        </p>
      )}
    </div>
  )
}

function TestView() {
  const test = useApp((state) => state.core.tunnel?.test ?? null)
  const call = useCall()
  const { busy, problem, run } = useOutcome()
  return (
    <section aria-label="Test" className="flex flex-col gap-2 border-t border-line pt-3">
      <div className="flex min-h-7 items-center gap-3">
        <p className="flex min-w-0 flex-1 items-center gap-3 text-muted" role="status">
          {busy ? (
            'Testing…'
          ) : test === null ? (
            'Not tested yet.'
          ) : (
            <>
              <OutcomeMark outcome={addressTests[test.outcome]} />
              <span className="data text-subtle">{test.ms} ms</span>
            </>
          )}
        </p>
        <Button disabled={busy} onClick={() => void run(() => call('tunnels.test', {}))}>
          {test === null ? 'Test' : 'Test again'}
        </Button>
      </div>
      {test !== null && !busy && (
        <p className="text-small text-muted wrap-anywhere">
          <ExactText text={test.message} />
        </p>
      )}
      {problem !== null && <ProblemView problem={problem} />}
    </section>
  )
}

type Repointed = OutputOf<'hooks.repoint'>['moved']

/** Returns the number of hooks to move, as the start of a sentence. */
function pointingWords(hooks: readonly Hook[]): string {
  return hooks.length === 1 ? '1 hook still points' : `${hooks.length} hooks still point`
}

/** Moves the hooks under a URL to the present one, and says which were moved. */
function Repoint({ from, onDone }: { readonly from: string; readonly onDone: () => void }) {
  const { url } = useAddress()
  const hooks = useApp((state) => state.core.hooks)
  const call = useCall()
  const [affected] = useState(() => hooksUnder(hooks, from))
  const [moved, setMoved] = useState<Repointed | null>(null)
  const form = useForm<object, { readonly moved: Repointed }>({
    begin: () => ({}),
    submit: () => (url === null ? null : call('hooks.repoint', { from, to: url })),
    onDone: (done) => setMoved(done.moved),
  })
  const failed = moved?.filter(({ problem }) => problem !== null) ?? []
  // Failures come first, so they are visible without scrolling.
  const listed =
    moved === null ? affected : [...new Set([...failed, ...moved])].map(({ hook }) => hook)
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <p role="status">
        {moved === null
          ? `${pointingWords(affected)} to the old URL.`
          : failed.length === 0
            ? `Done: ${counted(moved.length, 'hook')} re-pointed.`
            : `${counted(moved.length - failed.length, 'hook')} re-pointed, ${failed.length} kept the old URL.`}
      </p>
      <dl className="data grid grid-cols-[40px_minmax(0,1fr)] text-muted">
        <dt className="text-subtle">from</dt>
        <dd className="wrap-anywhere">{from}</dd>
        <dt className="text-subtle">to</dt>
        <dd className="wrap-anywhere text-text">{url}</dd>
      </dl>
      <ul
        aria-label="Hooks"
        className="max-h-60 overflow-auto border-t border-line/60"
        tabIndex={0}
      >
        {listed.map((hook) => (
          <HookLine
            key={hook.id}
            hook={hook}
            result={moved?.find((one) => one.hook.id === hook.id) ?? null}
          />
        ))}
      </ul>
      {moved === null ? (
        <FormEnd
          form={form}
          live={affected.some(({ mode }) => mode === 'live')}
          action={`Re-point ${counted(affected.length, 'hook')}`}
          busyWords="Re-pointing…"
          onCancel={onDone}
        />
      ) : (
        <>
          <Warnings warnings={moved.flatMap(({ warnings }) => warnings)} />
          <DoneFoot onDone={onDone} />
        </>
      )}
    </form>
  )
}

/** Shows a hook to move, and the result once it is known. */
function HookLine({
  hook: { event, environment, mode, url },
  result,
}: {
  readonly hook: Hook
  readonly result: Repointed[number] | null
}) {
  const problem = result?.problem ?? null
  return (
    <li className="flex gap-2 border-b border-line/60 py-1.5">
      {result !== null && (
        <span className="mt-[3px]">
          <OutcomeIcon
            outcome={calls[problem === null ? 'done' : 'failed']}
            label={problem === null ? 'Re-pointed' : 'Not re-pointed'}
          />
        </span>
      )}
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2">
          <span className="data min-w-0 flex-1 truncate">{visibleText(event)}</span>
          <EnvironmentName name={environment} mode={mode} />
        </p>
        <p className="data wrap-anywhere text-muted">{visibleText(url)}</p>
        {problem !== null && <p className="text-small text-bad wrap-anywhere">{problem}</p>}
      </div>
    </li>
  )
}
