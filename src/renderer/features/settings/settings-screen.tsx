/** The Settings screen: sections and a search at the left, the settings of the section or of the search beside them. */
import {
  Archive,
  ArrowLeftRight,
  CircleCheck,
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
import { Fragment } from 'react'
import { useAppParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { Message } from '../../ui/message.tsx'
import { foundSettings, listSettings, type Setting } from './setting-list.tsx'
import { settingsSections, type SettingsSection } from '../../ui-state/routes.ts'

const sections: Readonly<
  Record<
    SettingsSection,
    { readonly name: string; readonly about: string; readonly Icon: LucideIcon }
  >
> = {
  environments: {
    name: 'Environments',
    about: 'Service accounts and how to reach them',
    Icon: Globe,
  },
  receiver: { name: 'Receiver', about: 'Ports and limits for incoming deliveries', Icon: Radio },
  handlers: { name: 'Handlers', about: 'Your endpoints for replays', Icon: Server },
  appearance: { name: 'Appearance', about: 'Theme and long lines', Icon: Palette },
  keyboard: { name: 'Keyboard', about: 'Shortcuts of every command', Icon: Keyboard },
  desktop: { name: 'Desktop', about: 'Closing, notifications and updates', Icon: Monitor },
  secrets: { name: 'Secrets', about: 'Secret storage and the local CA', Icon: KeyRound },
  safety: { name: 'Safety', about: 'Where you allowed sending and changes', Icon: ShieldCheck },
  storage: { name: 'Storage', about: 'The data folder and its size', Icon: HardDrive },
  retention: { name: 'Retention', about: 'When to delete old deliveries', Icon: Archive },
  transfer: {
    name: 'Import and export',
    about: 'Move deliveries between computers',
    Icon: ArrowLeftRight,
  },
  remote: { name: 'Remote access', about: 'Who can reach Countersign', Icon: Plug },
  about: { name: 'About', about: 'This installation', Icon: Info },
}

/** The search field, which the key of the filter focuses. */
export const SETTINGS_SEARCH_ID = 'settings-search'

export function SettingsScreen() {
  // Names and command-line texts show current values.
  const settings = useSettings()
  const { section, search, saved } = useAppParts((state) => ({
    section: state.navigation.at.settings.section ?? 'environments',
    search: state.settings.search,
    saved: state.settings.saved,
  }))
  const isSearching = search.trim() !== ''
  const shown = isSearching
    ? foundSettings(settings, search)
    : settings.filter((one) => one.section === section)
  return (
    <section aria-label="Settings" className="flex h-full bg-ground" data-pane="settings">
      <Sections settings={settings} found={isSearching ? shown : null} />
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="window-drag flex h-12 shrink-0 items-center gap-3 border-b border-line bg-surface px-6">
          <h2 className="text-title font-medium whitespace-nowrap">
            {isSearching
              ? shown.length === 1
                ? '1 setting'
                : `${shown.length} settings`
              : sections[section].name}
          </h2>
          <p className="min-w-0 flex-1 truncate text-small text-muted">
            {isSearching
              ? `${shown.length === 1 ? 'matches' : 'match'} "${search.trim()}"`
              : sections[section].about}
          </p>
          <p role="status" className="flex items-center gap-1.5 text-small text-muted">
            {saved && (
              <>
                <CircleCheck size={14} className="text-ok" />
                Saved
              </>
            )}
          </p>
        </header>
        {/* Positioned, because otherwise text for screen readers would make the page longer than the window. */}
        <div
          className="relative min-h-0 flex-1 overflow-auto"
          tabIndex={0}
          role="region"
          aria-label="All settings"
        >
          <div className="max-w-[808px] px-6 pb-12">
            {shown.length === 0 ? (
              <NoHits />
            ) : (
              <Groups settings={shown} search={isSearching ? search : ''} />
            )}
          </div>
        </div>
      </div>
    </section>
  )
}

function useSettings(): readonly Setting[] {
  const parts = useAppParts(({ core, preferences, settings }) => ({
    status: core.status,
    settings: core.settings,
    handlers: core.handlers,
    isDesktop: settings.isDesktop,
    theme: preferences.theme,
    wrap: preferences.wrap,
    singleKeys: preferences.singleKeys,
  }))
  return listSettings(parts)
}

function Sections({
  settings,
  found,
}: {
  readonly settings: readonly Setting[]
  readonly found: readonly Setting[] | null
}) {
  const { section, search, select, setSearch } = useAppParts((state) => ({
    section: state.navigation.at.settings.section,
    search: state.settings.search,
    select: state.navigation.select,
    setSearch: state.settings.setSearch,
  }))
  const present = settingsSections.filter((one) =>
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
      <div className="relative mx-4 mb-3">
        <Search size={15} className="pointer-events-none absolute top-2 left-2.5 text-subtle" />
        <input
          id={SETTINGS_SEARCH_ID}
          type="text"
          role="searchbox"
          aria-label="Search settings"
          placeholder="Search settings"
          autoComplete="off"
          spellCheck={false}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || search === '') return
            event.preventDefault()
            setSearch('')
          }}
          className="h-8 w-full rounded-control border border-edge/60 bg-ground pr-9 pl-8 text-base hover:border-edge"
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
      <ul className="flex flex-col gap-px px-2">
        {present.map((one) => {
          const { name, Icon } = sections[one]
          const here = found === null && one === section
          const hits = found?.filter((setting) => setting.section === one).length ?? null
          return (
            <li key={one}>
              <button
                type="button"
                aria-current={here ? 'page' : undefined}
                onClick={() => {
                  setSearch('')
                  select('settings', { section: one })
                }}
                className={`flex h-8 w-full items-center gap-2 rounded-control px-3 text-left font-medium ${here ? 'bg-selected text-accent' : hits === 0 ? 'text-subtle hover:bg-control' : 'text-muted hover:bg-control hover:text-text'}`}
              >
                <Icon size={16} strokeWidth={1.75} className="shrink-0" />
                <span className="min-w-0 flex-1 truncate">{name}</span>
                {hits !== null && hits > 0 && (
                  <span className="data">
                    {hits}
                    <span className="sr-only">{hits === 1 ? ' match' : ' matches'}</span>
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

function Groups({
  settings,
  search,
}: {
  readonly settings: readonly Setting[]
  readonly search: string
}) {
  const titleOf = ({ section, group }: Setting) =>
    search === '' ? (group ?? '') : sections[section].name
  return settings.map((setting, index) => {
    const title = titleOf(setting)
    const before = settings[index - 1]
    const isNew = before === undefined || titleOf(before) !== title
    return (
      <Fragment key={`${setting.section} ${setting.group} ${setting.name}`}>
        {isNew && title !== '' && <h3 className="mt-5 pb-2 font-medium text-muted">{title}</h3>}
        <SettingRow setting={setting} search={search} isFirst={isNew && title === ''} />
      </Fragment>
    )
  })
}

function SettingRow({
  setting: { name, hint, cli, isWide, control, below },
  search,
  isFirst,
}: {
  readonly setting: Setting
  readonly search: string
  readonly isFirst: boolean
}) {
  return (
    <div
      role="group"
      aria-label={name}
      className={`flex gap-x-8 gap-y-3 ${isFirst ? '' : 'border-t border-line'} ${isWide === true ? 'flex-col py-3' : 'items-center py-3'}`}
    >
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          <Marked text={name} search={search} />
        </p>
        {hint !== undefined && (
          <p className="mt-0.5 text-small text-muted wrap-anywhere">
            <Marked text={hint} search={search} />
          </p>
        )}
        <p className="mt-1 font-mono text-tiny text-subtle wrap-anywhere">
          <Marked text={cli} search={search} />
        </p>
      </div>
      {control !== null && (
        <div className={isWide === true ? 'flex min-w-0 flex-col gap-3' : 'min-w-0'}>
          {control}
          {below}
        </div>
      )}
    </div>
  )
}

function Marked({ text, search }: { readonly text: string; readonly search: string }) {
  const words = search.split(/\s+/).filter(Boolean)
  if (words.length === 0) return text
  const pattern = new RegExp(
    `(${words.map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('|')})`,
    'gi',
  )
  return text.split(pattern).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <mark key={index} className="rounded-xs bg-accent/30 text-text">
        {part}
      </mark>
    ),
  )
}

function NoHits() {
  const { setSearch, openOverlay } = useAppParts((state) => ({
    setSearch: state.settings.setSearch,
    openOverlay: state.navigation.openOverlay,
  }))
  return (
    <div className="pt-12">
      <Message
        title="No settings found"
        action={
          <>
            <Button kind="primary" onClick={() => setSearch('')}>
              Clear search
            </Button>
            <Button onClick={() => openOverlay('palette')}>Search commands…</Button>
          </>
        }
      >
        Try fewer words, an option without its dashes, or a key such as F6. Hooks and saved views
        have their own screens.
      </Message>
    </div>
  )
}
