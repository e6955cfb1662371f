import { Composer, joinClasses } from '@parley/chatkit'
import { ContextPills } from './context-pills.tsx'
import { ModelSelector } from './model-selector.tsx'
import { SkillMenu } from './skill-menu.tsx'
import { SkillStatusBar } from './skill-status-bar.tsx'
import { useSkills } from './use-skills.ts'
import { useView } from './view-context.ts'
import { VoiceInput } from './voice-input.tsx'

const NONE: readonly never[] = []

/** Skills, pills, and ChatKit's composer with what the view adds to it. */
export function InputArea({ onModel }: { onModel: (model: string | undefined) => void }) {
  const view = useView()
  const { classNames, features } = view
  const skills = useSkills(view)
  const { modelSelector = true, voiceInput = true, skillMention = true } = features
  return (
    <div className={joinClasses('ak-input', classNames.chatInputRoot)}>
      <div className={joinClasses('ak-input-inner', classNames.chatInputInner)}>
        <SkillStatusBar skills={skills} />
        <ContextPills />
        <SkillMenu skills={skillMention ? skills : NONE}>
          <Composer />
        </SkillMenu>
        <div className="ak-input-tools">
          {modelSelector ? <ModelSelector onModel={onModel} /> : null}
          {voiceInput ? <VoiceInput /> : null}
        </div>
      </div>
    </div>
  )
}
