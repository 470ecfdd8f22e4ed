/** The delivery pane's exports for the shell. */
import { always, type RunKey } from '../../state/commands.ts'
import type { KeyAction } from '../../state/key-map.ts'
import { bodyViews } from '../body/index.ts'
import type { Tab } from '../../state/routes.ts'

export { Detail } from './detail.tsx'
export { VerifyRequestDialog } from './verify-request.tsx'

const showTab = (tab: Tab) => always((state) => state.detail.setTab(tab))

/** Actions of the shortcuts for the open delivery. */
export const detailKeys = {
  'older-alike': always((state) => state.detail.openAlike(-1)),
  'newer-alike': always((state) => state.detail.openAlike(1)),
  'tab-overview': showTab('overview'),
  'tab-signature': showTab('signature'),
  'tab-body': showTab('body'),
  'tab-headers': showTab('headers'),
  'tab-attempts': showTab('attempts'),
  'tab-raw': showTab('raw'),
  'tab-lifecycle': showTab('lifecycle'),
  'tab-replays': showTab('replays'),
  verify: always((state) => {
    state.detail.setTab('signature')
    void state.detail.verifyAgain()
  }),
  'body-view': always((state) => {
    if (state.detail.tab === 'raw')
      state.detail.setRawView(state.detail.rawView === 'text' ? 'hex' : 'text')
    else
      state.body.setView(
        bodyViews[(bodyViews.indexOf(state.body.view) + 1) % bodyViews.length] ?? 'tree',
      )
  }),
  wrap: always((state) => state.preferences.set('wrap', !state.preferences.wrap)),
  full: always((state) => state.detail.toggleFull()),
} satisfies Partial<Record<KeyAction, RunKey>>
