/** The form that sets the public URL, or starts a tunnel that provides it. */
import { useState } from 'react'
import type { TunnelProvider, TunnelStatus } from '../../../shared/model/tunnel.ts'
import { hooksUnder } from '../../../shared/service/hook-rules.ts'
import { useAppStore } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import type { CallResult } from '../../ui/call-problem.ts'
import { TextField } from '../../ui/field.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { DoneFoot } from '../../ui/form-foot.tsx'
import { Segments } from '../../ui/segments.tsx'
import { useForm, type Form } from '../../ui/use-form.ts'
import { useCall } from '../../ui/use-call.ts'
import { PublicUrlTest, TunnelState } from './tunnel-state.tsx'
import { useHookUrl } from './use-hook-url.ts'

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

function isRunning(tunnel: TunnelStatus | null): boolean {
  return tunnel?.state === 'starting' || tunnel?.state === 'up'
}

/** Returns the user's own public URL; empty if there is none or it is the tunnel's. */
function useOwnUrl(): string {
  const { receiver, tunnel } = useHookUrl()
  const isOwn = tunnel?.url == null || tunnel.url !== receiver?.publicUrl
  return isOwn ? (receiver?.publicUrl ?? '') : ''
}

/** Returns the form's state; after a URL change it opens the dialog that moves hooks. */
function useUrlForm(way: Way, onDone: () => void): Form<UrlDraft> {
  const store = useAppStore()
  const { tunnel, url: urlNow } = useHookUrl()
  const [before] = useState(urlNow)
  const call = useCall()
  const ownUrl = useOwnUrl()
  return useForm<UrlDraft, string | null>({
    begin: () => ({ url: ownUrl, domain: '' }),
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
}

export function PublicUrlForm({ onDone }: { readonly onDone: () => void }) {
  const { tunnel } = useHookUrl()
  const ownUrl = useOwnUrl()
  const call = useCall()
  const [way, setWay] = useState<Way>(isRunning(tunnel) ? (tunnel?.provider ?? 'own') : 'own')
  const form = useUrlForm(way, onDone)
  const { draft, problem, busy } = form
  const fieldProblem = problem?.findings[0]?.message
  const shown = tunnel?.provider === way ? tunnel : null
  const isTestable = way === 'own' ? ownUrl !== '' && ownUrl === draft.url : shown?.state === 'up'
  return (
    <form className="flex flex-col gap-4" {...form.formProps}>
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
      <UrlFields form={form} way={way} isTunnelRunning={isRunning(shown)} />
      {shown !== null && problem === null && <TunnelState tunnel={shown} />}
      {isTestable && <PublicUrlTest />}
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

function UrlFields({
  form: { draft, change, problem },
  way,
  isTunnelRunning,
}: {
  readonly form: Form<UrlDraft>
  readonly way: Way
  readonly isTunnelRunning: boolean
}) {
  const receiverUrl = useHookUrl().receiver?.url
  const fieldProblem = problem?.findings[0]?.message
  if (way === 'own')
    return (
      <TextField
        label="URL"
        inputMode="url"
        placeholder="https://"
        hint={`HTTPS. Must forward requests to ${receiverUrl ?? 'the receiver'} with the path unchanged. Leave empty for none.`}
        problem={fieldProblem ?? problem?.message}
        value={draft.url}
        onChange={(url) => change({ url })}
      />
    )
  return (
    <>
      <p className="text-muted">{about[way]}</p>
      {way === 'ngrok' && !isTunnelRunning && (
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
    </>
  )
}
