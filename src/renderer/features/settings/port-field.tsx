import { useState } from 'react'
import { type PortName, portIn } from '../../../shared/model/settings.ts'
import type { AppState } from '../../ui-state/store.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { controlStyle } from '../../ui/field.tsx'

function listeningPort(state: AppState, name: PortName): number | null {
  const { status } = state.core
  const url = {
    receiver: status?.receiver.url,
    receiverHttp: status?.receiver.httpUrl,
    sandbox: status?.sandbox,
    ui: state.settings.isDesktop ? null : location.origin,
  }[name]
  return url == null ? null : Number(new URL(url).port)
}

/** Edits a port, saved on Enter or when the field loses the focus. */
export function PortField({ name, label }: { readonly name: PortName; readonly label: string }) {
  const { ports, listening, isChanged, setPort } = useAppParts((state) => ({
    ports: state.core.settings.ports,
    listening: listeningPort(state, name),
    isChanged: state.settings.changedPorts.includes(name),
    setPort: state.settings.setPort,
  }))
  const [draft, setDraft] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const defaultPort = portIn({ ...ports, [name]: null }, name)
  const chosenPort = portIn(ports, name)
  const save = async () => {
    if (draft === null) return
    const text = draft.trim()
    const port = text === '' ? null : Number(text)
    if (port !== null && !(/^\d+$/.test(text) && port >= 1 && port <= 65_535)) {
      setProblem('Enter a port from 1 to 65535, or leave it empty.')
      return
    }
    const outcome = port === ports[name] ? null : await setPort(name, port)
    setProblem(outcome?.ok === false ? (outcome.problem?.message ?? null) : null)
    if (outcome?.ok !== false) setDraft(null)
  }
  const needsRestart = (isChanged || ports[name] !== null) && listening !== chosenPort
  const isOther = !needsRestart && listening !== null && listening !== chosenPort
  const note = `port-${name}`
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <input
        aria-label={label}
        aria-describedby={note}
        aria-invalid={problem !== null}
        inputMode="numeric"
        autoComplete="off"
        placeholder={
          isOther ? String(listening) : defaultPort === null ? 'Off' : `Default ${defaultPort}`
        }
        value={draft ?? ports[name]?.toString() ?? ''}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void save()
        }}
        className={`${controlStyle} data w-32!`}
      />
      <p id={note} role="status" className="text-small empty:hidden">
        {problem !== null ? (
          <span className="text-bad">{problem}</span>
        ) : needsRestart ? (
          <span className="text-warn">
            {chosenPort === null
              ? 'Restart Countersign to turn it off.'
              : `Restart Countersign to use port ${chosenPort}.`}
          </span>
        ) : isOther ? (
          <span className="text-muted">
            Set at start to {listening}. Default: {defaultPort ?? 'off'}.
          </span>
        ) : null}
      </p>
    </div>
  )
}
