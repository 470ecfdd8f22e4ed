/** The settings of a section or a search, row by row. */
import { Fragment } from 'react'
import { useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Message } from '../../ui/message.tsx'
import type { Setting } from './setting-list.tsx'
import { sections } from './section-list.tsx'

export function SettingGroups({
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

export function NoMatches() {
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
