import { joinClasses } from '@parley/chatkit'
import type { SkillSummary } from '@parley/protocol'
import { useView } from './view-context.ts'

/** Which skills the session has. Nothing when it has none. */
export function SkillStatusBar({ skills }: { skills: readonly SkillSummary[] }) {
  const { sessionId, texts, classNames, components } = useView()
  const Own = components.SkillStatusBar
  const bar =
    skills.length === 0 ? null : (
      <p className={joinClasses('ak-skills-inner', classNames.skillStatusBarInner)}>
        <span>{texts.skills}</span>
        {skills.map(({ id, display_name, description }) => (
          <span key={id} className="ck-chip" title={description}>
            <span className="ck-chip-text">{display_name}</span>
          </span>
        ))}
      </p>
    )
  if (!bar && !Own) return null
  return (
    <div className={joinClasses('ak-skills', classNames.skillStatusBarRoot)}>
      {Own ? (
        <Own sessionId={sessionId} skills={skills}>
          {bar}
        </Own>
      ) : (
        bar
      )}
    </div>
  )
}
