/** Keyboard shortcuts by context, and the controls that change them. Keys with the same action share a line. */
import { useEffect, useEffectEvent, useState } from 'react'
import {
  conflictOf,
  isReserved,
  type KeyAction,
  type KeyLine,
  type KeyScope,
} from '../../../shared/model/key-table.ts'
import { keyLines, pressOf, stepOf } from '../../state/key-map.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { isApple, keyCaps, Keys } from '../../ui/keys.tsx'

export const keyHeadings: Readonly<Record<KeyScope, string>> = {
  everywhere: 'Everywhere',
  list: 'Delivery list',
  detail: 'Delivery details',
  compare: 'Comparison',
  flows: 'Flow',
  sandbox: 'Sandbox',
  composer: 'Replay composer',
}

export function ShortcutTable() {
  // The table itself isn't part of the state.
  useApp((state) => state.preferences.keys)
  const lines = keyLines().filter(({ keys }) => keys.length > 0)
  return (
    <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
      {(Object.keys(keyHeadings) as KeyScope[]).map((scope) => (
        <section key={scope} className={scope === 'everywhere' ? 'sm:row-span-2' : ''}>
          <h3 className="mb-1 text-small font-medium text-subtle">{keyHeadings[scope]}</h3>
          <dl>
            {lines
              .filter((line) => line.scope === scope)
              .map(({ action, meaning, keys }) => (
                <div
                  key={action}
                  className="flex min-h-7 items-center gap-3 border-t border-line/50 py-0.5"
                >
                  <dt className="min-w-0 flex-1">{meaning}</dt>
                  <dd className="flex shrink-0 items-center gap-2">
                    {keys.map((one) => (
                      <span key={one}>
                        <span className="sr-only">{one}</span>
                        <Keys keys={one} />
                      </span>
                    ))}
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </div>
  )
}

/** How long a letter waits for a second one, as in `g d`. */
const SEQUENCE_MS = 800

/** Reads a key, or two letters in a row, while `isOn`; Esc cancels. */
function useRecorder(isOn: boolean, onDone: (keys: string | null) => void): string {
  const [begun, setBegun] = useState('')
  const report = useEffectEvent(onDone)
  useEffect(() => {
    if (!isOn) return
    let first = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = (keys: string | null) => {
      clearTimeout(timer)
      setBegun('')
      report(keys)
    }
    const onKey = (event: KeyboardEvent) => {
      event.preventDefault()
      event.stopPropagation()
      const step = stepOf(pressOf(event), isApple)
      if (step === null) return
      if (step === 'Escape') end(null)
      else if (first !== '' && step.length === 1) end(`${first} ${step}`)
      else if (step.length > 1) end(step)
      else {
        first = step
        setBegun(step)
        timer = setTimeout(() => {
          end(step)
        }, SEQUENCE_MS)
      }
    }
    const cancel = () => {
      end(null)
    }
    window.addEventListener('keydown', onKey, { capture: true })
    window.addEventListener('pointerdown', cancel)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('keydown', onKey, { capture: true })
      window.removeEventListener('pointerdown', cancel)
    }
  }, [isOn])
  return begun
}

interface ShortcutFieldProps {
  readonly action: KeyAction
  readonly meaning: string
  readonly keys: readonly string[]
}

/** The keys of one command, with what changes, removes and resets them. */
export function ShortcutField({ action, meaning, keys }: ShortcutFieldProps) {
  const { keys: custom, set } = useParts('preferences', 'keys', 'set')
  const [recording, setRecording] = useState(false)
  const [problem, setProblem] = useState<{
    readonly text: string
    readonly taken: KeyLine | null
    readonly keys: string
  } | null>(null)
  const save = (own: string, without: KeyAction | null = null) => {
    setProblem(null)
    set('keys', { ...custom, ...(without === null ? {} : { [without]: '' }), [action]: own })
  }
  const begun = useRecorder(recording, (pressed) => {
    setRecording(false)
    if (pressed === null) return
    const caps = keyCaps(pressed).join(' ')
    const taken = conflictOf(action, pressed, custom)
    if (isReserved(pressed))
      setProblem({
        text: `The browser uses ${caps}. Choose another key.`,
        taken: null,
        keys: pressed,
      })
    else if (taken !== null)
      setProblem({ text: `"${taken.meaning}" already uses ${caps}.`, taken, keys: pressed })
    else save(pressed)
  })
  return (
    <div className="flex flex-col items-end gap-1">
      <div className="flex items-center gap-2">
        {recording ? (
          <span role="status" className="text-small text-muted">
            {begun === '' ? 'Press keys, or Esc to cancel' : `${begun} … then another key, or wait`}
          </span>
        ) : keys.length === 0 ? (
          <span className="text-small text-subtle">No shortcut</span>
        ) : (
          keys.map((one) => (
            <span key={one}>
              <span className="sr-only">{one}</span>
              <Keys keys={one} />
            </span>
          ))
        )}
        <Button
          aria-label={`Change the shortcut of ${meaning}`}
          aria-pressed={recording}
          onClick={() => {
            setProblem(null)
            setRecording(true)
          }}
        >
          {keys.length === 0 ? 'Set shortcut' : 'Change'}
        </Button>
        {keys.length > 0 && (
          <Button
            kind="quiet"
            aria-label={`Remove the shortcut of ${meaning}`}
            onClick={() => {
              save('')
            }}
          >
            Remove
          </Button>
        )}
        {custom[action] !== undefined && (
          <Button
            kind="quiet"
            aria-label={`Reset the shortcut of ${meaning}`}
            onClick={() => {
              const { [action]: _, ...rest } = custom
              setProblem(null)
              set('keys', rest)
            }}
          >
            Reset
          </Button>
        )}
      </div>
      {problem !== null && (
        <p role="alert" className="flex items-center gap-2 text-small text-bad">
          {problem.text}
          {problem.taken !== null && (
            <Button
              className="h-6 px-2 text-small"
              onClick={() => {
                if (problem.taken !== null) save(problem.keys, problem.taken.action)
              }}
            >
              Use it for this command
            </Button>
          )}
        </p>
      )}
    </div>
  )
}

/** Restores the default keys of every command. */
export function ResetShortcuts() {
  const { keys, set } = useParts('preferences', 'keys', 'set')
  const changed = Object.keys(keys).length
  return (
    <Button
      disabled={changed === 0}
      onClick={() => {
        set('keys', {})
      }}
    >
      {changed === 0 ? 'Nothing changed' : `Reset ${changed} shortcut${changed === 1 ? '' : 's'}`}
    </Button>
  )
}
