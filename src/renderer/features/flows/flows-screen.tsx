/** The Flows screen: the list of flows, or the open one. */
import { Play } from 'lucide-react'
import { useEffect, useState } from 'react'
import { counted, listed } from '../../../shared/text/counted.ts'
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ConsentBand } from '../../ui/consent.tsx'
import { CheckField } from '../../ui/field.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { LoadingRows, NotRead } from '../../ui/message.tsx'
import { useConsents } from '../../ui/use-consents.ts'
import { SpeedChoice } from './flow-controls.tsx'
import { FlowFileButton } from './flow-file.tsx'
import { FLOW_SEARCH_ID, FlowList, RUN_ALL_ID } from './flow-list.tsx'
import { HandlerButton, HandlerSettings } from './flow-settings.tsx'
import { FlowView } from './flow-view.tsx'

export function FlowsScreen() {
  const { opened, connected, readFlows } = useAppParts((state) => ({
    opened: state.flows.opened,
    connected: state.core.connection.phase === 'open',
    readFlows: state.flows.read,
  }))
  useEffect(() => {
    if (connected) void readFlows()
  }, [connected, readFlows])
  return opened === null ? <AllFlows /> : <FlowView key={opened.plan.name} plan={opened.plan} />
}

function AllFlows() {
  const { flows, problem, readFlows, runAll, isRunning, includesLive, change } = useAppParts(
    (state) => ({
      flows: state.flows.all,
      problem: state.flows.problem,
      readFlows: state.flows.read,
      runAll: state.flows.runAll,
      includesLive: state.flows.draft.includesLive,
      change: state.flows.changeDraft,
      isRunning: state.flows.series !== null,
    }),
  )
  const [text, setText] = useState('')
  const [settings, setSettings] = useState(false)
  const consents = useConsents()
  const [asked, setAsked] = useState<readonly string[] | null>(null)
  const run = (names: readonly string[] | null) => {
    setAsked(names)
    consents.begin((consent) => runAll(names, consent))
  }
  const what =
    asked === null
      ? 'all flows'
      : asked.length === 1
        ? (asked[0] ?? '')
        : counted(asked.length, 'flow')
  return (
    <section
      aria-label="Flows"
      className="flex h-full flex-col bg-ground"
      onKeyDownCapture={(event) => {
        // A focused button or field would take the Enter for itself.
        if (event.key !== 'Enter' || !event.shiftKey) return
        event.preventDefault()
        event.stopPropagation()
        document.getElementById(RUN_ALL_ID)?.click()
      }}
    >
      <header className="window-drag @container flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-2">
        <div className="mr-2 flex-1">
          <h1 className="text-title font-medium">Flows</h1>
          <p className="text-small whitespace-nowrap text-muted @max-[1100px]:hidden">
            Test-mode scenarios, run step by step in an isolated sandbox
          </p>
        </div>
        <input
          id={FLOW_SEARCH_ID}
          type="search"
          aria-label="Search flows"
          placeholder={flows === null ? 'Search flows' : `Search ${counted(flows.length, 'flow')}`}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          className="h-7 w-48 min-w-0 rounded-control border border-edge/60 bg-ground px-2.5"
        />
        <HandlerButton isOpen={settings} onToggle={() => setSettings(!settings)} />
        <SpeedChoice />
        <FlowFileButton />
        <Button
          id={RUN_ALL_ID}
          kind="primary"
          icon={<Play size={13} aria-hidden />}
          disabled={isRunning || consents.busy || flows === null}
          onClick={() => run(null)}
        >
          Run all
          <span className="contents @max-[900px]:hidden">
            <ActionKeys action="flow-run-all" />
          </span>
        </Button>
      </header>
      {settings && (
        <HandlerSettings>
          <CheckField
            checked={includesLive}
            onChange={() => change({ includesLive: !includesLive })}
          >
            Include live-mode flows in Run all (live-mode payloads)
          </CheckField>
        </HandlerSettings>
      )}
      <ConsentBand
        className="max-w-[720px] shrink-0 px-4 py-3"
        consents={consents}
        words={(question) =>
          question.about === 'host'
            ? {
                action: `Send to ${question.host}`,
                what: "Also sends the flows' deliveries there, signed with your handler's secret. Make sure its owner knows.",
              }
            : {
                action: `Run ${what} in ${listed(question.environments, 'and')}`,
                what: 'Sends live-mode payloads. Your handler may treat them as real.',
              }
        }
      />
      {flows === null && problem === null && (
        <LoadingRows
          label="Loading flows"
          count={12}
          columns={['w-56', 'flex-1', 'w-24', 'w-16']}
          row="h-7 items-center gap-8"
          className="px-4 pt-4"
        />
      )}
      {flows === null && problem !== null && (
        <div className="px-8 pt-12">
          <NotRead title="Couldn't load flows" problem={problem} onAgain={() => void readFlows()} />
        </div>
      )}
      {flows !== null && <FlowList flows={flows} text={text} onRun={run} />}
    </section>
  )
}
