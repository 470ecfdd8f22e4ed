/** The Handlers screen: saved handlers, whether each is reachable, and the page of the selected one. */
import { Plus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { useRecentEndpoints } from '../../ui/endpoint-field.tsx'
import { handlerRef, isUnsaved, suggestedName } from '../../ui/endpoint-offers.ts'
import { TextField } from '../../ui/field.tsx'
import { LoadingRows, NotRead } from '../../ui/message.tsx'
import { focusedRow } from '../../ui/list.tsx'
import { SplitPanes } from '../../ui/split-panes.tsx'
import { useCall, useOutcome } from '../../ui/use-outcome.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { HandlerPageView, ReachabilityMark } from './handler-page.tsx'

const PROBE_EVERY_MS = 15_000

/** Tests again and again whether the handlers on this computer are reachable, while a screen shows it. */
export function useProbes(): void {
  const { handlers, connection } = useParts('core', 'handlers', 'connection')
  const probeHere = useParts('handlers', 'probeHere').probeHere
  const isOpen = connection.phase === 'open'
  const urls = handlers.map(({ url }) => url).join('\n')
  useEffect(() => {
    if (!isOpen) return undefined
    void probeHere()
    const timer = setInterval(() => void probeHere(), PROBE_EVERY_MS)
    return () => clearInterval(timer)
  }, [isOpen, urls, probeHere])
}

export function HandlersScreen() {
  const { handlers, status, problem, readAgain } = useParts(
    'core',
    'handlers',
    'status',
    'problem',
    'readAgain',
  )
  const { name } = useApp((state) => state.navigation.at.handlers)
  const shown =
    handlers.find((one) => one.name === name) ??
    handlers.find(({ current }) => current) ??
    handlers[0]
  useProbes()

  if (status === null || shown === undefined)
    return (
      <section
        aria-label="Handlers"
        data-pane="handlers"
        className="flex h-full flex-col bg-ground"
      >
        <Heading />
        {status !== null ? (
          <NoHandlers />
        ) : problem === null ? (
          <LoadingRows
            label="Loading handlers"
            count={4}
            columns={['w-24', 'flex-1']}
            className="px-4 pt-4"
          />
        ) : (
          <div className="px-8 pt-12">
            <NotRead title="Couldn't load handlers" problem={problem} onAgain={readAgain} />
          </div>
        )}
      </section>
    )
  const list = (
    <section
      aria-label="Handlers"
      data-pane="handlers"
      className="flex h-full min-w-0 flex-col bg-ground"
    >
      <Heading />
      <HandlerList shownId={shown.id} />
    </section>
  )
  return (
    <SplitPanes
      name="handlers"
      first={{ id: 'handlers', minSize: '18%', defaultSize: '23%', content: list }}
      second={{
        id: 'handler',
        minSize: '50%',
        content: <HandlerPageView key={shown.id} handler={shown} />,
      }}
      resize="Resize handler list"
    />
  )
}

function Heading() {
  const edit = useParts('handlers', 'edit').edit
  return (
    <header className="window-drag @container flex h-12 shrink-0 items-center gap-2 border-b border-line bg-surface pr-4 pl-4">
      <h1 className="min-w-0 flex-1 text-title font-medium">Handlers</h1>
      <Button icon={<Plus size={14} aria-hidden />} title="Add handler" onClick={() => edit({})}>
        <span className="@max-[240px]:sr-only">Add handler</span>
      </Button>
    </header>
  )
}

/** One tab stop; arrow keys select. */
function HandlerList({ shownId }: { readonly shownId: string }) {
  const { handlers } = useParts('core', 'handlers')
  const select = useApp((state) => state.navigation.select)
  const index = handlers.findIndex(({ id }) => id === shownId)
  return (
    <div
      role="listbox"
      aria-label="Saved handlers"
      tabIndex={0}
      aria-activedescendant={`handler-${shownId}`}
      onKeyDown={(event) => {
        const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: handlers.length - 1 }[
          event.key
        ]
        if (to === undefined) return
        event.preventDefault()
        const next = handlers[Math.min(handlers.length - 1, Math.max(0, to))]
        if (next === undefined) return
        select('handlers', { name: next.name })
        document.getElementById(`handler-${next.id}`)?.scrollIntoView({ block: 'nearest' })
      }}
      className="group/list min-h-0 flex-1 overflow-auto outline-none"
    >
      {handlers.map((handler) => (
        <div
          key={handler.id}
          id={`handler-${handler.id}`}
          role="option"
          tabIndex={-1}
          aria-selected={handler.id === shownId}
          onClick={() => select('handlers', { name: handler.name })}
          className={`border-b border-line px-4 py-2.5 ${handler.id === shownId ? `bg-selected shadow-[inset_2px_0_0_var(--accent)] ${focusedRow}` : 'hover:bg-raised'}`}
        >
          {/* Without room for all three, the state moves below the name. */}
          <div className="flex flex-wrap items-center gap-x-2">
            <span className="min-w-0 truncate font-mono font-medium">
              {visibleText(handlerRef(handler))}
            </span>
            {handler.current && <span className="shrink-0 text-small text-muted">Current</span>}
            <span className="ml-auto min-w-0">
              <ReachabilityMark handler={handler} />
            </span>
          </div>
          <p className="data truncate text-subtle">{visibleText(handler.url)}</p>
        </div>
      ))}
    </div>
  )
}

/** Before the first handler: one field, and the endpoints that were typed before. */
function NoHandlers() {
  const recent = useRecentEndpoints()
  const call = useCall()
  const { busy, problem, run, clear } = useOutcome()
  const [url, setUrl] = useState('')
  const select = useApp((state) => state.navigation.select)
  const save = (endpoint: string) =>
    run(async () => {
      const saved = await call('handlers.add', {
        name: suggestedName(endpoint, []),
        url: endpoint,
      })
      // This form has gone by now: the list shows the handler.
      if (saved.ok) select('handlers', { name: saved.value.handler.name })
      return saved
    })
  return (
    <div className="max-w-[640px] px-8 pt-12">
      <h2 className="text-title font-medium">No handlers yet</h2>
      <p className="mt-1 mb-4 text-muted">
        Save your endpoint once, and use it everywhere: in replays, flows, checks, forwarding and on
        the command line. Its page shows whether it is reachable, how fast it responds, and what
        fails.
      </p>
      <form
        noValidate
        className="flex items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          void save(url.trim())
        }}
      >
        <div className="min-w-0 flex-1">
          <TextField
            label="Your handler's URL"
            inputMode="url"
            placeholder="localhost:3000/webhooks"
            value={url}
            problem={problem?.message}
            onChange={(text) => {
              clear()
              setUrl(text)
            }}
          />
        </div>
        <Button
          kind="primary"
          type="submit"
          className="mt-5 h-8"
          disabled={busy || url.trim() === ''}
        >
          {busy ? 'Saving…' : 'Save handler'}
        </Button>
      </form>
      <Recent
        urls={recent.filter((one) => isUnsaved(one, [])).slice(0, 5)}
        onSave={(one) => void save(one)}
      />
    </div>
  )
}

function Recent({
  urls,
  onSave,
}: {
  readonly urls: readonly string[]
  readonly onSave: (url: string) => void
}) {
  if (urls.length === 0) return null
  return (
    <section aria-label="Used before" className="mt-6">
      <h3 className="mb-1 text-small font-medium text-muted">Used before</h3>
      {urls.map((url) => (
        <div key={url} className="flex h-9 items-center gap-3 border-b border-line/50">
          <span className="data min-w-0 flex-1 truncate">{visibleText(url)}</span>
          <Button
            kind="quiet"
            className="h-6 text-small"
            aria-label={`Save ${visibleText(url)}`}
            onClick={() => onSave(url)}
          >
            Save as handler
          </Button>
        </div>
      ))}
    </section>
  )
}
