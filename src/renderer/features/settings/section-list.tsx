/** The list of the Settings screen's sections, with the search field. */
import {
  Archive,
  ArrowLeftRight,
  Globe,
  HardDrive,
  Info,
  KeyRound,
  Keyboard,
  Monitor,
  Palette,
  Plug,
  Radio,
  Search,
  Server,
  ShieldCheck,
  X,
  type LucideIcon,
} from 'lucide-react'
import { useAppParts, useParts } from '../../ui-state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import type { Setting } from './setting-list.tsx'
import { settingsSections, type SettingsSection } from '../../ui-state/routes.ts'

export const sections: Readonly<
  Record<SettingsSection, { readonly name: string; readonly Icon: LucideIcon }>
> = {
  environments: {
    name: 'Environments',
    Icon: Globe,
  },
  receiver: { name: 'Receiver', Icon: Radio },
  handlers: { name: 'Handlers', Icon: Server },
  appearance: { name: 'Appearance', Icon: Palette },
  keyboard: { name: 'Keyboard', Icon: Keyboard },
  desktop: { name: 'Desktop', Icon: Monitor },
  secrets: { name: 'Secrets', Icon: KeyRound },
  safety: { name: 'Safety', Icon: ShieldCheck },
  storage: { name: 'Storage', Icon: HardDrive },
  retention: { name: 'Retention', Icon: Archive },
  transfer: {
    name: 'Import and export',
    Icon: ArrowLeftRight,
  },
  remote: { name: 'Remote access', Icon: Plug },
  about: { name: 'About', Icon: Info },
}

export const SETTINGS_SEARCH_ID = 'settings-search'

export function SectionList({
  settings,
  matches,
}: {
  readonly settings: readonly Setting[]
  readonly matches: readonly Setting[] | null
}) {
  const { section, select, setSearch } = useAppParts((state) => ({
    section: state.navigation.at.settings.section,
    select: state.navigation.select,
    setSearch: state.settings.setSearch,
  }))
  const presentSections = settingsSections.filter((one) =>
    settings.some((setting) => setting.section === one),
  )
  return (
    <nav
      aria-label="Settings sections"
      className="flex w-[248px] shrink-0 flex-col overflow-y-auto border-r border-line bg-surface pb-4 max-[760px]:w-[184px]"
    >
      <header className="window-drag flex h-12 shrink-0 items-center px-4">
        <h1 className="text-title font-medium">Settings</h1>
      </header>
      <SearchField />
      <ul className="flex flex-col gap-px px-2">
        {presentSections.map((one) => {
          const { name, Icon } = sections[one]
          const isCurrent = matches === null && one === section
          const matchCount = matches?.filter((setting) => setting.section === one).length ?? null
          return (
            <li key={one}>
              <button
                type="button"
                aria-current={isCurrent ? 'page' : undefined}
                onClick={() => {
                  setSearch('')
                  select('settings', { section: one })
                }}
                className={`flex h-8 w-full items-center gap-2 rounded-control px-3 text-left font-medium ${isCurrent ? 'bg-selected text-accent' : matchCount === 0 ? 'text-subtle hover:bg-control' : 'text-muted hover:bg-control hover:text-text'}`}
              >
                <Icon size={16} strokeWidth={1.75} className="shrink-0" />
                <span className="min-w-0 flex-1 truncate">{name}</span>
                {matchCount !== null && matchCount > 0 && (
                  <span className="data">
                    {matchCount}
                    <span className="sr-only">{matchCount === 1 ? ' match' : ' matches'}</span>
                  </span>
                )}
              </button>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

function SearchField() {
  const { search, setSearch } = useParts('settings', 'search', 'setSearch')
  return (
    <div className="relative mx-4 mb-3">
      <Search size={15} className="pointer-events-none absolute top-2 left-2.5 text-subtle" />
      <input
        id={SETTINGS_SEARCH_ID}
        type="text"
        role="searchbox"
        aria-label="Search settings"
        placeholder="Search"
        autoComplete="off"
        spellCheck={false}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || search === '') return
          event.preventDefault()
          setSearch('')
        }}
        className="h-8 w-full rounded-control border border-edge bg-ground pr-9 pl-8 text-base hover:border-subtle"
      />
      <span className="absolute top-0.5 right-0.5 flex h-7 items-center pr-1">
        {search === '' ? (
          <span className="pointer-events-none">
            <ActionKeys action="filter" />
          </span>
        ) : (
          <IconButton
            label="Clear search"
            className="size-6"
            icon={X}
            onClick={() => {
              setSearch('')
              document.getElementById(SETTINGS_SEARCH_ID)?.focus()
            }}
          />
        )}
      </span>
    </div>
  )
}
