/** The Settings screen: sections and a search at the left, settings beside them. */
import { CircleCheck } from 'lucide-react'
import { counted } from '../../../shared/text/english.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { matchingSettings, listSettings, type Setting } from './setting-list.tsx'
import { LoadProblem } from '../../ui/message.tsx'
import { sections, SectionList } from './section-list.tsx'
import { SettingGroups, NoMatches } from './setting-rows.tsx'

export function SettingsScreen() {
  // Names and command-line texts show current values.
  const settings = useSettings()
  const { problem, readAgain, section, search, saved } = useAppParts((state) => ({
    problem: state.core.problem,
    readAgain: state.core.readAgain,
    section: state.navigation.at.settings.section ?? 'environments',
    search: state.settings.search,
    saved: state.settings.saved,
  }))
  const isSearching = search.trim() !== ''
  const shown = isSearching
    ? matchingSettings(settings, search)
    : settings.filter((one) => one.section === section)
  return (
    <section aria-label="Settings" className="flex h-full bg-ground" data-pane="settings">
      <SectionList settings={settings} matches={isSearching ? shown : null} />
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="window-drag flex h-12 shrink-0 items-center gap-3 border-b border-line bg-surface px-6">
          <h2 className="min-w-0 flex-1 truncate text-title font-medium">
            {isSearching
              ? `${counted(shown.length, 'setting')} for "${search.trim()}"`
              : sections[section].name}
          </h2>
          <p role="status" className="flex items-center gap-1.5 text-small text-muted">
            {saved && (
              <>
                <CircleCheck size={14} className="text-ok" />
                Saved
              </>
            )}
          </p>
        </header>
        {/* Positioned, so that text for screen readers doesn't lengthen the page. */}
        <div
          className="relative min-h-0 flex-1 overflow-auto"
          tabIndex={0}
          role="region"
          aria-label="All settings"
        >
          {problem !== null ? (
            <LoadProblem title="Couldn't load settings" problem={problem} onAgain={readAgain} />
          ) : (
            <div className="@container max-w-[808px] px-6 pt-1 pb-12">
              {shown.length === 0 ? (
                <NoMatches />
              ) : (
                <SettingGroups settings={shown} isSearching={isSearching} />
              )}
            </div>
          )}
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
