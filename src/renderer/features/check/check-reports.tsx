/** The reports of a run, saved as files. */
import { Menu } from '@base-ui/react/menu'
import { Download } from 'lucide-react'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'

const formats = [
  ['html', 'For people', 'HTML'],
  ['junit', 'For CI', 'JUnit'],
  ['json', 'For programs', 'JSON'],
] as const

export function CheckReports({ disabled }: { readonly disabled: boolean }) {
  const saveCheck = useApp((state) => state.check.save)
  return (
    <Menu.Root>
      <Menu.Trigger render={<Button disabled={disabled} icon={<Download size={13} aria-hidden />} />}>Report</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="z-30 outline-none">
          <Menu.Popup className="min-w-48 rounded-control border border-line bg-raised p-1 text-base text-text shadow-overlay outline-none">
            {formats.map(([format, use, name]) => (
              <Menu.Item
                key={format}
                onClick={() => void saveCheck(format)}
                className="flex h-7 cursor-default items-center gap-6 rounded-small px-2 outline-none data-highlighted:bg-control"
              >
                <span className="flex-1">{name}</span>
                <span className="text-small text-muted">{use}</span>
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
