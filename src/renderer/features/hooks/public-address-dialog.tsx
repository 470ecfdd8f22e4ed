/** Sets the public URL, either a custom one or a tunnel started here, then offers to re-point hooks under the old URL. */
import { useEffect, useState } from 'react'
import type { ReceiverStatus } from '../../../shared/model/status.ts'
import { useAppParts, useAppStore, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, FormFoot } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Segments } from '../../ui/segments.tsx'
import { useForm } from '../../ui/use-form.ts'
import { AddressTestView } from './address-test.tsx'
import type { Repointed } from './hook-actions-slice.ts'
import { hooksUnder } from '../../../shared/service/hook-rules.ts'
import { Moved, Repoint, type Move } from './repoint-hooks.tsx'
import { isRunning, TunnelPanel } from './tunnel-panel.tsx'

interface PastedAddressProps {
  /** The URL changed while hooks still point to the previous one. */
  readonly onMove: (move: Move) => void
  readonly onDone: () => void
}

/** The URL of a tunnel or proxy that runs elsewhere. Can be cleared. */
function PastedAddress({ onMove, onDone }: PastedAddressProps) {
  const store = useAppStore()
  const { receiver, tunnel, setPublicUrl, stopTunnel } = useAppParts((state) => ({
    receiver: state.core.status?.receiver ?? null,
    tunnel: state.tunnel.state,
    setPublicUrl: state.hooks.setPublicUrl,
    stopTunnel: state.tunnel.stop,
  }))
  const ofTunnel = tunnel !== null && tunnel.url !== null && tunnel.url === receiver?.publicUrl
  const from = receiver?.publicUrl ?? receiver?.url ?? null
  const form = useForm({
    begin: () => ({ url: ofTunnel ? '' : (receiver?.publicUrl ?? '') }),
    submit: ({ url }) => setPublicUrl(url.trim().replace(/\/+$/, '') || null),
    onDone: (changed: ReceiverStatus) => void leadOn(changed),
  })
  const { draft, busy, problem } = form
  const leadOn = async (changed: ReceiverStatus) => {
    if (tunnel !== null && ['starting', 'up', 'failing'].includes(tunnel.state)) await stopTunnel()
    const to = changed.publicUrl ?? changed.url
    if (
      from !== null &&
      to !== null &&
      from !== to &&
      hooksUnder(store.getState().core.hooks, from).length > 0
    )
      onMove({ from, to })
    else onDone()
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
        onChange={(url) => {
          form.change({ url })
        }}
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

interface WaysProps {
  readonly onMove: (move: Move) => void
  readonly onDone: () => void
}

function Ways({ onMove, onDone }: WaysProps) {
  const {
    state: tunnel,
    programs,
    findPrograms: findTunnelPrograms,
  } = useParts('tunnel', 'state', 'programs', 'findPrograms')
  const [way, setWay] = useState<Way>(() =>
    isRunning(tunnel) ? (tunnel?.provider ?? 'own') : 'own',
  )
  useEffect(() => {
    void findTunnelPrograms()
  }, [findTunnelPrograms])
  const program = programs?.find(({ provider }) => provider === way)
  return (
    <div className="flex flex-col gap-4">
      <div>
        <Segments label="Tunnel" options={ways} value={way} onChange={setWay} />
      </div>
      {way === 'own' ? (
        <PastedAddress onMove={onMove} onDone={onDone} />
      ) : program === undefined ? (
        <p role="status" className="late text-muted">
          Looking for {way}…
        </p>
      ) : (
        <TunnelPanel key={way} program={program} onMove={onMove} onDone={onDone} />
      )}
    </div>
  )
}
