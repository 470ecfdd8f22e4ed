/** The public address: by a tunnel of one's own, or by a program that is started here; then the hooks under the old one, in one step. */
import { useEffect, useState } from 'react'
import { useAppParts, useParts } from '../../state/use-app.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Segments } from '../../ui/segments.tsx'
import type { Repointed } from './hook-actions-slice.ts'
import { PastedAddress } from './pasted-address.tsx'
import { Moved, Repoint, type Move } from './repoint-hooks.tsx'
import { isRunning, TunnelPanel } from './tunnel-panel.tsx'

export function PublicAddressDialog() {
  const { open, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'public-address',
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog
      open={open}
      onClose={closeOverlay}
      title="Public address"
      description="What a tunnel or a proxy gives you: the service reaches this machine there, and new hooks are registered under it."
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
  { value: 'own', label: 'My own' },
  { value: 'cloudflared', label: 'cloudflared' },
  { value: 'ngrok', label: 'ngrok' },
] as const
type Way = (typeof ways)[number]['value']

interface WaysProps {
  readonly onMove: (move: Move) => void
  readonly onDone: () => void
}

function Ways({ onMove, onDone }: WaysProps) {
  const { state: tunnel, programs, findPrograms: findTunnelPrograms } = useParts('tunnel', 'state', 'programs', 'findPrograms')
  const [way, setWay] = useState<Way>(() => (isRunning(tunnel) ? (tunnel?.provider ?? 'own') : 'own'))
  useEffect(() => {
    void findTunnelPrograms()
  }, [findTunnelPrograms])
  const program = programs?.find(({ provider }) => provider === way)
  return (
    <div className="flex flex-col gap-4">
      <div>
        <Segments label="Which tunnel" options={ways} value={way} onChange={setWay} />
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
