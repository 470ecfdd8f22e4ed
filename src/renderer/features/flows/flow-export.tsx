/** The flow, or the run that is shown, as a file: drawings of either, reports of a run. */
import { Menu } from '@base-ui/react/menu'
import { Download } from 'lucide-react'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'

const formats = [
  ['svg', 'SVG', 'Sharp at any size'],
  ['png', 'PNG', 'For a chat or a slide'],
  ['mermaid', 'Mermaid', 'For a README'],
  ['html', 'HTML report', 'For people'],
  ['junit', 'JUnit', 'For CI'],
] as const

/** Reports need a run. */
export function FlowExport({ hasRun }: { readonly hasRun: boolean }) {
  const saveFlow = useApp((state) => state.flows.save)
  return (
    <Menu.Root>
      <Menu.Trigger render={<Button icon={<Download size={13} aria-hidden />} />}>Export</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="z-30 outline-none">
          <Menu.Popup className="min-w-56 rounded-control border border-line bg-raised p-1 text-base text-text shadow-overlay outline-none">
            {formats.map(([format, name, use]) => {
              const disabled = !hasRun && (format === 'html' || format === 'junit')
              return (
                <Menu.Item
                  key={format}
                  disabled={disabled}
                  onClick={() => void saveFlow(format)}
                  className="flex h-7 cursor-default items-center gap-6 rounded-small px-2 outline-none data-disabled:opacity-60 data-highlighted:bg-control"
                >
                  <span className="flex-1">{name}</span>
                  <span className="text-small text-muted">{disabled ? 'After a run' : use}</span>
                </Menu.Item>
              )
            })}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
