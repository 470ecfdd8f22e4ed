/** Notices what was done, by the walk's buttons or by the user: what was looked at, and where the walk goes on by itself. */
import { useEffect, useRef } from 'react'
import type { FirstWalk } from '../../../shared/model/first-walk.ts'
import { useAppParts, useAppStore } from '../../state/use-app.ts'
import { momentOf, stationAfter, stations, type WalkFacts } from './stations.ts'
import { actWalk, showStation } from './walk-actions.ts'

export function useWalkProgress(walk: FirstWalk, facts: WalkFacts): void {
  const store = useAppStore()
  const { openId, tab, follows, connected, watchWalk } = useAppParts((state) => ({
    openId: state.navigation.screen === 'deliveries' && state.detail.mode !== 'closed' ? state.detail.openId : null,
    tab: state.detail.tab,
    follows: state.tour.follows,
    connected: state.core.connection.phase === 'open',
    watchWalk: state.tour.watch,
  }))
  const hooks = walk.hookIds.join(' ')
  useEffect(() => (connected ? watchWalk() : undefined), [connected, watchWalk, hooks, walk.after])

  const { auth, altered, clearing } = facts
  useEffect(() => {
    const {
      tour: { markSeen: markWalkSeen },
    } = store.getState()
    if (openId === null) return
    markWalkSeen(openId)
    if (tab === 'lifecycle' && (openId === auth?.id || openId === clearing?.id)) markWalkSeen('purchase')
  }, [store, openId, tab, auth, clearing])

  useEffect(() => {
    const arrived = follows === 'auth' ? auth : follows === 'altered' ? altered : follows === 'clearing' ? clearing : null
    if (arrived === null) return
    store.getState().tour.setFollows(null)
    if (follows === 'auth') showStation(walk.station, store)
    else actWalk(follows === 'altered' ? 'open-altered' : 'open-purchase', store)
  }, [store, follows, auth, altered, clearing, walk.station])

  const done = momentOf(walk.station, facts).step === null
  const before = useRef({ station: walk.station, done })
  useEffect(() => {
    const { station, done: wasDone } = before.current
    before.current = { station: walk.station, done }
    // Only what was done just now moves on: who goes back to a station stays there.
    if (station === walk.station && !wasDone && done && stations[walk.station].movesOn === true)
      void store.getState().tour.put({ station: stationAfter(walk.station, 1) })
  }, [store, walk.station, done])
}
