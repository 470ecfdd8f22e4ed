/** Exports of the delivery pane for the shell. */
import { always, type RunKey } from '../../ui-state/commands.ts'
import type { KeyAction } from '../../key-map.ts'
import type { Tab } from '../../ui-state/routes.ts'
import { bodyViews } from './detail-display.ts'

export { Detail } from './detail.tsx'
export { VerifyRequestDialog } from './verify-request.tsx'

const showTab = (tab: Tab) => always((state) => state.detail.setTab(tab))

export const detailKeys = {
  'older-alike': always((state) => state.detail.openAlike(-1)),
  'newer-alike': always((state) => state.detail.openAlike(1)),
  'tab-overview': showTab('overview'),
  'tab-signature': showTab('signature'),
  'tab-body': showTab('body'),
  'tab-headers': showTab('headers'),
  'tab-history': showTab('history'),
  'tab-raw': showTab('raw'),
  verify: always((state) => state.detail.verifyAgain()),
  'body-view': always(({ detail, navigation }) => {
    const { display, rawView, bodyView } = detail
    if (navigation.at.deliveries.tab === 'raw')
      display({ rawView: rawView === 'text' ? 'hex' : 'text' })
    else
      display({
        bodyView: bodyViews[(bodyViews.indexOf(bodyView) + 1) % bodyViews.length] ?? 'tree',
      })
  }),
  wrap: always((state) => state.preferences.set('wrap', !state.preferences.wrap)),
  full: always((state) => state.detail.toggleFull()),
} satisfies Partial<Record<KeyAction, RunKey>>
