import type { HandlerPage, SavedHandler } from '../../../shared/model/handler.ts'
import { useData } from '../../core-data/use-read.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { settleCall } from '../../ui/call-problem.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { useCallState } from '../../ui/use-call.ts'

/** Returns the actions that connect to a handler or send there. */
export function useHandlerActions(handler: SavedHandler) {
  const { client } = useData()
  const { probe, replayTo, compareRuns, changeDraft, runAll, go } = useAppParts((state) => ({
    probe: state.handlers.probe,
    replayTo: state.replay.sendTo,
    compareRuns: state.replay.compareRuns,
    changeDraft: state.flows.changeDraft,
    runAll: state.flows.runAll,
    go: state.navigation.go,
  }))
  const { busy, problem, run } = useCallState()
  const ref = handlerRef(handler)
  const begin = (call: () => Promise<unknown>) => void run(() => settleCall(call()))
  return {
    busy,
    problem,
    test: () => begin(() => probe({ id: handler.id })),
    check: () =>
      begin(async () => {
        const started = await client.call('check.start', { target: ref })
        go('check', { run: started.run.id })
      }),
    /** Shows the flows with their results at this handler. */
    showFlows() {
      changeDraft({ handler: handler.name })
      go('flows')
    },
    /** Runs the named flows; null runs all. */
    runFlows(names: readonly string[] | null) {
      changeDraft({ handler: handler.name })
      begin(() => runAll(names).then(() => go('flows')))
    },
    /** Opens the dialog that compares runs of this handler. */
    compareRuns: () => compareRuns(handler.name),
    /** Replays; its end is announced as for the `r` key. */
    replay: (what: Parameters<typeof replayTo>[1]) => void replayTo(ref, what),
  }
}

export type HandlerActions = ReturnType<typeof useHandlerActions>

export interface HandlerPageProps {
  readonly page: HandlerPage
  readonly actions: HandlerActions
}
