/** Sets or clears the public address, and then offers to re-point the hooks under the old one, in one step. */
import { useState, type FormEvent } from 'react'
import { useAppParts, useAppStore } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FormFoot } from '../../ui/form-foot.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'
import type { Repointed } from './hook-actions-slice.ts'
import { hooksUnder } from './hook-status.ts'
import { Moved, Repoint, type Move } from './repoint-hooks.tsx'

export function PublicAddressDialog() {
  const { open, closeOverlay } = useAppParts((state) => ({
    open: state.overlay === 'public-address',
    closeOverlay: state.closeOverlay,
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
  return <AddressForm onChanged={setMove} onDone={onDone} />
}

function AddressForm({ onChanged, onDone }: { readonly onChanged: (move: Move) => void; readonly onDone: () => void }) {
  const store = useAppStore()
  const { receiver, setPublicUrl } = useAppParts((state) => ({
    receiver: state.status?.receiver ?? null,
    setPublicUrl: state.setPublicUrl,
  }))
  const [url, setUrl] = useState(receiver?.publicUrl ?? '')
  const { busy, problem, run, clear } = useOutcome()

  const save = async (next: string | null) => {
    const from = receiver?.publicUrl ?? receiver?.url ?? null
    const changed = await run(() => setPublicUrl(next))
    if (changed === null) return
    const to = changed.publicUrl ?? changed.url
    if (from !== null && to !== null && from !== to && hooksUnder(store.getState().hooks, from).length > 0)
      onChanged({ from, to })
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
