/** Where the delivery is to be sent with less and less of its body, and what counts as the same failure. */
import { useState, type FormEvent } from 'react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { useAppParts } from '../../state/use-app.ts'
import type { CallProblem } from '../../ui/call-problem.ts'
import { FormFoot } from '../../ui/form-foot.tsx'
import { HostConfirmation } from '../../ui/host-confirmation.tsx'
import { LiveConfirmation } from '../../ui/live-confirmation.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { TextField } from '../../ui/text-field.tsx'

interface Consent {
  readonly allowHosts: readonly string[]
  readonly live: boolean
}

export interface ShrinkFormProps {
  readonly subject: DeliveryRow
  readonly onCancel: () => void
}

const MOST_SENDS = 500

export function ShrinkForm({ subject, onCancel }: ShrinkFormProps) {
  const { target, startShrink } = useAppParts((state) => ({ target: state.shrinkTarget, startShrink: state.startShrink }))
  const [to, setTo] = useState(target ?? '')
  const [answer, setAnswer] = useState('')
  const [most, setMost] = useState(String(MOST_SENDS))
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<CallProblem | null>(null)
  /** What has to be agreed to before it goes. */
  const [asking, setAsking] = useState<'live' | { readonly host: string } | null>(null)
  const [hosts, setHosts] = useState<readonly string[]>([])

  const start = async (consent: Consent) => {
    setBusy(true)
    setProblem(null)
    const started = await startShrink({
      id: subject.id,
      to: to.trim() === '' ? null : to.trim(),
      answerHolds: answer === '' ? null : answer,
      maxSends: Number(most),
      allowHosts: [...consent.allowHosts],
      live: consent.live,
    })
    setBusy(false)
    if (started.ok) return
    if (started.host !== null) setAsking({ host: started.host })
    else {
      setAsking(null)
      setProblem(started.problem)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!/^\d+$/.test(most) || Number(most) < 10) {
      setProblem({
        code: 'INVALID_INPUT',
        message: 'At least 10.',
        findings: [{ field: 'maxSends', message: 'At least 10.', rule: '', section: '' }],
        exchange: null,
      })
      return
    }
    if (subject.mode === 'live') setAsking('live')
    else void start({ allowHosts: hosts, live: false })
  }
  const isLive = subject.mode === 'live'
  if (asking === 'live')
    return (
      <LiveConfirmation
        environment={subject.environment ?? 'The environment of this delivery'}
        action={busy ? 'Starting…' : 'Send it again and again (live)'}
        busy={busy}
        onConfirm={() => void start({ allowHosts: hosts, live: true })}
        onBack={() => {
          setAsking(null)
        }}
      >
        Up to {most} genuine requests of this live delivery go to {to === '' ? 'its hook' : to}.
      </LiveConfirmation>
    )
  if (asking !== null)
    return (
      <HostConfirmation
        host={asking.host}
        action={`Send them to ${asking.host}`}
        busy={busy}
        onConfirm={() => {
          const agreed = [...hosts, asking.host]
          setHosts(agreed)
          void start({ allowHosts: agreed, live: isLive })
        }}
        onBack={() => {
          setAsking(null)
        }}
      >
        Up to {most} genuine requests would go there. Whoever runs it should know.
      </HostConfirmation>
    )
  return (
    <form className="flex flex-col gap-3.5" noValidate onSubmit={submit}>
      <TextField
        label="Send it to"
        inputMode="url"
        placeholder="http://127.0.0.1:3000/webhooks"
        hint="The handler that fails. Empty: the registered URL of the delivery’s hook."
        value={to}
        onChange={(value) => {
          setTo(value)
          setProblem(null)
        }}
      />
      <TextField
        label="Its answer holds"
        optional
        placeholder="TypeError"
        hint="Only answers with this text count as the same failure. Without it, the same status is enough."
        value={answer}
        onChange={setAnswer}
      />
      <div className="w-40">
        <TextField
          label="Sends at most"
          inputMode="numeric"
          problem={problem?.findings.find(({ field }) => field === 'maxSends')?.message}
          value={most}
          onChange={(value) => {
            setMost(value)
            setProblem(null)
          }}
        />
      </div>
      {problem !== null && <ProblemView problem={problem} covered={['maxSends']} />}
      <FormFoot onCancel={onCancel} action="Shrink the body" busyWords="Starting…" busy={busy} />
    </form>
  )
}
