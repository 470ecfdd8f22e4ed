/** Held deliveries with a countdown: respond manually or use the hook's rule. */
import { Hand } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import type { HeldDelivery } from '../../../shared/model/forward.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { controlLook } from '../../ui/field.tsx'
import { EnvironmentName } from '../../ui/outcome-mark.tsx'
import { useNow } from '../../ui/use-now.ts'
import { visibleText } from '../../ui/visible-text.ts'

const LOOK_MS = 250

export function HeldPanel({ held }: { readonly held: readonly HeldDelivery[] }) {
  if (held.length === 0) return null
  return (
    <section aria-label="Held deliveries" className="shrink-0 border-b border-line bg-warn-wash">
      <h2 className="flex items-center gap-2 px-4 pt-2.5 font-medium">
        <Hand size={15} aria-hidden className="text-warn" />
        {held.length === 1
          ? 'A delivery is waiting for your response'
          : `${held.length} deliveries are waiting for your response`}
      </h2>
      <ul className="max-h-[40vh] overflow-auto px-4 pb-2.5" tabIndex={-1}>
        {held.map((one) => (
          <li key={one.deliveryId} className="border-t border-line/60 py-2 first:border-t-0">
            <HeldRow held={one} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function HeldRow({ held }: { readonly held: HeldDelivery }) {
  const { answerHeld, releaseHeld } = useParts('forward', 'answerHeld', 'releaseHeld')
  const openDelivery = useApp((state) => state.detail.open)
  const go = useApp((state) => state.navigation.go)
  const [status, setStatus] = useState('200')
  const [body, setBody] = useState('')
  const { deliveryId, event, method, path, environment, mode, until, ruleStatus } = held
  const left = Math.max(0, Math.ceil((Date.parse(until) - useNow(LOOK_MS)) / 1_000))
  const number = Number(status)
  const usable = /^[2-5]\d\d$/.test(status.trim())
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault()
    if (usable) void answerHeld(deliveryId, { status: number, headers: [], body })
  }
  const name = event ?? `${method ?? ''} ${path ?? ''}`
  return (
    <form
      aria-label={`Respond to ${visibleText(name)}`}
      noValidate
      onSubmit={submit}
      className="flex flex-col gap-1.5"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span
          role="timer"
          aria-label="Time left"
          className="data w-8 shrink-0 text-right text-warn"
        >
          {left} s
        </span>
        <span className="flex min-w-0 flex-1 basis-40 items-center gap-2">
          <button
            type="button"
            className="data min-w-0 truncate text-accent hover:underline"
            title={visibleText(deliveryId)}
            onClick={() => {
              go('deliveries')
              openDelivery(deliveryId, true)
            }}
          >
            {visibleText(name)}
          </button>
          {environment !== null && mode === 'live' && (
            <EnvironmentName name={environment} mode={mode} />
          )}
        </span>
        <Button
          title={ruleStatus === null ? 'Closes the connection without a response' : undefined}
          onClick={() => {
            void releaseHeld(deliveryId)
          }}
        >
          Use hook's rule{ruleStatus === null ? '' : ` (${ruleStatus})`}
        </Button>
      </div>
      <div className="flex items-center gap-2 pl-11">
        <input
          aria-label="Status"
          inputMode="numeric"
          className={`${controlLook} data h-7 w-14! shrink-0`}
          aria-invalid={!usable}
          value={status}
          onChange={({ currentTarget }) => {
            setStatus(currentTarget.value)
          }}
        />
        <input
          aria-label="Body"
          placeholder="Body (optional)"
          spellCheck={false}
          className={`${controlLook} data h-7 min-w-0 flex-1 placeholder:font-sans`}
          value={body}
          onChange={({ currentTarget }) => {
            setBody(currentTarget.value)
          }}
        />
        <Button kind="primary" type="submit" disabled={!usable}>
          Respond {usable ? status.trim() : ''}
        </Button>
      </div>
    </form>
  )
}
