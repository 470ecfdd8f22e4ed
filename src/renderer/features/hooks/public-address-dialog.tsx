/** Sets the public URL, either a custom one or a tunnel started here, then offers to re-point hooks under the old URL. */
import { useState } from 'react'
import type { ReceiverStatus } from '../../../shared/model/status.ts'
import type { TunnelStatus } from '../../../shared/model/tunnel.ts'
import { useAppParts, useAppStore } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, FormFoot } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Segments } from '../../ui/segments.tsx'
import { useForm } from '../../ui/use-form.ts'
import { AddressTestView } from './address-test.tsx'
import type { Repointed } from './hook-actions-slice.ts'
import { hooksUnder } from '../../../shared/service/hook-rules.ts'
import { Moved, Repoint, type Move } from './repoint-hooks.tsx'
import { TunnelPanel } from './tunnel-panel.tsx'

interface WaysProps {
  /** The URL changed while hooks still point to the previous one. */
  readonly onMove: (move: Move) => void
  readonly onDone: () => void
}

interface PastedAddressProps {
  readonly onChanged: (url: string | null) => void
  readonly onDone: () => void
}

/** The URL of a tunnel or proxy that runs elsewhere. Can be cleared. */
function PastedAddress({ onChanged, onDone }: PastedAddressProps) {
  const { receiver, tunnel, setPublicUrl, stopTunnel } = useAppParts((state) => ({
    receiver: state.core.status?.receiver ?? null,
    tunnel: state.tunnel.state,
    setPublicUrl: state.hooks.setPublicUrl,
    stopTunnel: state.tunnel.stop,
  }))
  const ofTunnel = tunnel !== null && tunnel.url !== null && tunnel.url === receiver?.publicUrl
  const form = useForm({
    begin: () => ({ url: ofTunnel ? '' : (receiver?.publicUrl ?? '') }),
    submit: ({ url }) => setPublicUrl(url.trim().replace(/\/+$/, '') || null),
    onDone: (changed: ReceiverStatus) => void leadOn(changed),
  })
  const { draft, busy, problem } = form
  const leadOn = async (changed: ReceiverStatus) => {
    if (isRunning(tunnel)) await stopTunnel()
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
            <Button className="mr-auto h-8" disabled={busy} onClick={() => void clearAddress()}>
              Clear URL
            </Button>
          )
        }
      />
    </form>
  )
}

export function PublicAddressDialog() {
  const { open, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'public-address',
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog
      open={open}
      onClose={closeOverlay}
      title="Public URL"
      description="The URL of your tunnel or proxy. The service reaches this computer through it, and new hooks are registered under it."
    >
      <Steps onDone={closeOverlay} />
    </Dialog>
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

function Ways({ onMove, onDone }: WaysProps) {
  const store = useAppStore()
  const { tunnel, receiver } = useAppParts((state) => ({
    tunnel: state.tunnel.state,
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
