import type { ConfirmationBlock, QuestionBlock } from '../../model/agent-blocks.ts'
import type { BlockProps } from '../kit/kit-context.ts'
import { LazyConfirmationView, LazyQuestionView } from '../kit/lazy-views.tsx'

/** Few conversations ask something: what draws it comes with the first. Until then it says what is asked. */
export function QuestionBlockView(props: BlockProps<QuestionBlock>) {
  return <LazyQuestionView {...props} fallback={<Asked text={props.block.content.questions[0]?.question} />} />
}

export function ConfirmationBlockView(props: BlockProps<ConfirmationBlock>) {
  return <LazyConfirmationView {...props} fallback={<Asked text={props.block.content.message} />} />
}

function Asked({ text }: { text: string | undefined }) {
  return <p className="ck-notice">{text}</p>
}
