/** The address of a tunnel or proxy that somebody else runs: typed in, or taken away. */
import { useState, type FormEvent } from 'react'
import { useAppParts, useAppStore } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { FormFoot } from '../../ui/form-foot.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'
import { AddressTestView } from './address-test.tsx'
import { hooksUnder } from './hook-status.ts'
import type { Move } from './repoint-hooks.tsx'

export interface PastedAddressProps {
  /** It has changed, and hooks still point to the one before. */
  readonly onMove: (move: Move) => void
  readonly onDone: () => void
}

export function PastedAddress({ onMove, onDone }: PastedAddressProps) {
  const store = useAppStore()
  const { receiver, tunnel, setPublicUrl, stopTunnel } = useAppParts((state) => ({
    receiver: state.core.status?.receiver ?? null,
    tunnel: state.tunnel.state,
    setPublicUrl: state.hooks.setPublicUrl,
    stopTunnel: state.tunnel.stop,
  }))
  const ofTunnel = tunnel !== null && tunnel.url !== null && tunnel.url === receiver?.publicUrl
  const [url, setUrl] = useState(ofTunnel ? '' : (receiver?.publicUrl ?? ''))
  const { busy, problem, run, clear } = useOutcome()

  const save = async (next: string | null) => {
    const from = receiver?.publicUrl ?? receiver?.url ?? null
    const changed = await run(() => setPublicUrl(next))
    if (changed === null) return
    // What it gave way to is not needed any more.
    if (tunnel !== null && ['starting', 'up', 'failing'].includes(tunnel.state)) await stopTunnel()
    const to = changed.publicUrl ?? changed.url
    if (from !== null && to !== null && from !== to && hooksUnder(store.getState().core.hooks, from).length > 0)
      onMove({ from, to })
    else onDone()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const typed = url.trim().replace(/\/+$/, '')
    void save(typed === '' ? null : typed)
  }
  return (
    <form className="flex flex-col gap-3.5" noValidate onSubmit={submit}>
      <TextField
        label="Address"
        inputMode="url"
        placeholder="https://"
        hint={`HTTPS. What arrives there has to be passed on to ${receiver?.url ?? 'the receiver'}, its path unchanged.`}
        problem={problem === null ? undefined : (problem.findings[0]?.message ?? problem.message)}
        value={url}
        onChange={(value) => {
          setUrl(value)
          clear()
        }}
      />
      {receiver?.publicUrl !== null && receiver?.publicUrl === url && <AddressTestView />}
      <FormFoot
        onCancel={onDone}
        action="Set the address"
        busyWords="Setting it…"
        busy={busy}
        aside={
          receiver?.publicUrl !== null && (
            <Button className="mr-auto h-8" disabled={busy} onClick={() => void save(null)}>
              Clear it
            </Button>
          )
        }
      />
    </form>
  )
}
