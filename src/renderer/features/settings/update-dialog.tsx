/** Dialog of the desktop app's updates: the version, its page, or its download and the restart. */
import { LoaderCircle } from 'lucide-react'
import type { NativeInputOf, UpdateState } from '../../../shared/contract/native.ts'
import { useApp, useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button, FootButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField } from '../../ui/field.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'

interface View {
  readonly title: string
  readonly text: string
  readonly isBusy?: boolean
  readonly action?: readonly [NativeInputOf<'native.update'>['action'], string]
}

function viewOf(update: UpdateState, current: string): View {
  switch (update.phase) {
    case 'off':
      return { title: "This copy can't update itself", text: update.reason }
    case 'idle':
      return {
        title: `Countersign ${current}`,
        text: 'Not checked yet.',
        action: ['check', 'Check now'],
      }
    case 'checking':
      return { title: 'Checking for updates…', text: '', isBusy: true }
    case 'current':
      return { title: 'Countersign is up to date', text: `You have version ${current}.` }
    case 'available': {
      const title = `Countersign ${update.version} is available`
      return update.page === null
        ? { title, text: `You have version ${current}.`, action: ['download', 'Download'] }
        : { title, text: `You have version ${current}. Get the new one from ${update.page}.` }
    }
    case 'downloading':
      return {
        title: `Downloading Countersign ${update.version}`,
        text: `${update.percent} %`,
        isBusy: true,
      }
    case 'ready':
      return {
        title: `Countersign ${update.version} is ready`,
        text: 'The restart stops capture for some seconds. Your data stays.',
        action: ['restart', 'Restart to update'],
      }
    case 'restarting':
      return { title: `Restarting to Countersign ${update.version}…`, text: '', isBusy: true }
    case 'failed':
      return { title: update.title, text: update.message, action: ['check', 'Try again'] }
  }
}

export function UpdateDialog() {
  const { update, actOnUpdate } = useParts('settings', 'update', 'actOnUpdate')
  const { isOpen, close, current, isDaily, change } = useAppParts((state) => ({
    isOpen: state.navigation.overlay === 'updates',
    close: state.navigation.closeOverlay,
    current: state.core.status?.version ?? '',
    isDaily: state.core.settings.desktop.checkUpdates,
    change: state.settings.change,
  }))
  if (update === null) return null
  const { title, text, action, isBusy = false } = viewOf(update, current)
  return (
    <Dialog open={isOpen} onClose={close} title="Updates">
      <div className="flex flex-col gap-3.5">
        <div role="status">
          <p className="flex items-center gap-2 font-medium">
            {isBusy && (
              <LoaderCircle
                size={14}
                className="animate-spin text-muted motion-reduce:animate-none"
              />
            )}
            {title}
          </p>
          <p className="mt-1 text-muted wrap-anywhere">{text}</p>
        </div>
        {update.phase === 'downloading' && (
          <ProgressBar label="Download" value={update.percent} max={100} />
        )}
        {update.phase !== 'off' && (
          <CheckField
            checked={isDaily}
            onChange={(checkUpdates) => void change({ desktop: { checkUpdates } })}
          >
            Check once a day
          </CheckField>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Close</Button>
          {update.phase === 'available' && update.page !== null && (
            <Button kind="primary" onClick={() => window.open(update.page ?? '', '_blank')}>
              Open the download page
            </Button>
          )}
          {action !== undefined && (
            <Button kind="primary" onClick={() => void actOnUpdate(action[0])}>
              {action[1]}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}

/** Shows an update that waits for the user in the status bar. */
export function UpdateFoot() {
  const { update, openUpdates } = useParts('settings', 'update', 'openUpdates')
  const isOpen = useApp((state) => state.navigation.overlay === 'updates')
  if (
    isOpen ||
    (update?.phase !== 'available' && update?.phase !== 'downloading' && update?.phase !== 'ready')
  )
    return null
  const words = { available: 'available', downloading: 'downloading', ready: 'ready' }
  return (
    <FootButton onClick={() => void openUpdates()}>
      Countersign {update.version} {words[update.phase]}
    </FootButton>
  )
}
