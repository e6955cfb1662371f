// The conditions that consent stands on, each with a break that would weaken it. `from` occurs once in its file.

const inFile = (file, ...breaks) => breaks.map(([name, from, to]) => ({ name, file, from, to }))

export const MUTATIONS = [
  ...inFile(
    'confirm/policy.ts',
    [
      'policy: high risk need not ask',
      "tool.risk === 'high' || tool.requiresConfirmation",
      'tool.requiresConfirmation',
    ],
    [
      'policy: a tool that wants to be confirmed need not',
      "tool.risk === 'high' || tool.requiresConfirmation",
      "tool.risk === 'high'",
    ],
    ['policy: a rule that denies asks', "if (decision === 'deny') return", "if (decision === 'never') return"],
    ['policy: headless fail allows', "!isHeadless || headless === 'fail'", '!isHeadless'],
    ['policy: headless deny allows', "return headless === 'allow'", "return headless !== 'fail'"],
    [
      'policy: it fails open',
      "return { type: 'deny', reason: `Nobody could decide",
      "return { type: 'allow', reason: `Nobody could decide",
    ],
    [
      'policy: a rule fits whatever the arguments',
      'if (value === undefined) return false',
      'if (value === undefined) return true',
    ],
    ['digest: the arguments do not count', 'JSON.stringify([tool_name, sorted(input)])', 'JSON.stringify([tool_name])'],
    [
      'digest: the tool does not count',
      'JSON.stringify([tool_name, sorted(input)])',
      'JSON.stringify([sorted(input)])',
    ],
  ),
  ...inFile(
    'confirm/confirmations.ts',
    [
      'once: decided again',
      "WHERE id = ? AND status = 'pending' AND expires_at > now_ms() AND digest = ?",
      'WHERE id = ? AND expires_at > now_ms() AND digest = ?',
    ],
    [
      'expiry: decided after its time',
      "status = 'pending' AND expires_at > now_ms() AND digest = ?",
      "status = 'pending' AND digest = ?",
    ],
    [
      'digest: another digest decides',
      'expires_at > now_ms() AND digest = ?',
      'expires_at > now_ms() AND ? = ?'.replace('? = ?', "coalesce(?, '') <> ''"),
    ],
    [
      'expiry: expired before its time',
      "AND status = 'pending' AND expires_at <= now_ms() RETURNING",
      "AND status = 'pending' RETURNING",
    ],
    [
      'once: a decision is undone by expiry',
      "WHERE id = ? AND status = 'pending' AND expires_at <= now_ms()",
      'WHERE id = ? AND expires_at <= now_ms()',
    ],
    [
      'once: a decision is undone by withdrawal',
      "WHERE session_id = ? AND status = 'pending' RETURNING",
      'WHERE session_id = ? RETURNING',
    ],
    [
      'withdrawal: other sessions lose theirs',
      "WHERE session_id = ? AND status = 'pending' RETURNING",
      "WHERE (session_id = ? OR 1 = 1) AND status = 'pending' RETURNING",
    ],
    [
      'owner: the confirmations of others are found',
      'WHERE id = ? AND ${IN_INBOX}`',
      'WHERE id = ? AND (1 = 1 OR ${IN_INBOX})`',
    ],
    [
      'owner: the confirmations of others are listed',
      'const where = `${IN_INBOX}${',
      'const where = `(1 = 1 OR ${IN_INBOX})${',
    ],
    [
      'owner: a question of another session is decided',
      'WHERE session_id = ? AND question_id = ?`',
      "WHERE coalesce(?, '') <> '' AND question_id = ?`",
    ],
    [
      'order: an older confirmation of a call counts',
      'ORDER BY created_at`,\n    [session_id, ...turn_ids]',
      'ORDER BY created_at DESC`,\n    [session_id, ...turn_ids]',
    ],
    [
      'expiry: nobody looks for what is due',
      "WHERE status = 'pending' AND expires_at <= now_ms() ORDER BY",
      "WHERE status = 'pending' AND expires_at > now_ms() ORDER BY",
    ],
    [
      'audit: a decision is not written down',
      "if (row) yield* audited(row, decision === 'approved'",
      "if (!row) yield* audited(row!, decision === 'approved'",
    ],
  ),
  ...inFile(
    'confirm/check-edit.ts',
    [
      'edit: it need not fit the tool',
      'if (!input.ok) return { problem: input.message }',
      'if (!input.ok) return { arguments: JSON.stringify(edited) }',
    ],
    ['edit: the policy does not see it', "verdict.type === 'deny' ?", "verdict.type === 'nothing' ?"],
    [
      'edit: the tool need not exist',
      'if (!tool) return { problem: `There is no tool named ${tool_name}.` }',
      'if (!tool) return { arguments: JSON.stringify(edited) }',
    ],
  ),
  ...inFile(
    'confirm/ask.ts',
    ['the second option agrees', 'export const APPROVE = 0', 'export const APPROVE = 1'],
    ['REST: a rejection approves', "decision === 'approve' ? APPROVE : REJECT", 'decision ? APPROVE : REJECT'],
    ['REST: the edit is lost', '...(edited_arguments && { edited_arguments }),', ''],
    [
      'a preview hides the other arguments',
      "typeof first === 'string' && others.length === 0",
      "typeof first === 'string'",
    ],
  ),
  ...inFile(
    'core/ask-consent.ts',
    ['digest: consent to something else counts', 'consent.digest === digest && ', ''],
    ['expiry: consent never grows old', ' && decisionNow() - consent.decided_at < consentMs', ''],
    [
      'policy: no consent is as good as one',
      'return consent !== null && consent.digest',
      'return consent === null || consent.digest',
    ],
    ['a refused call goes on', 'return isOpen(call) && !env.signal.aborted', 'return !env.signal.aborted'],
    [
      'stop: a call goes on after it',
      'return isOpen(call) && !env.signal.aborted && !env.isDraining()',
      'return isOpen(call) && !env.isDraining()',
    ],
    [
      'drain: a call goes on in a server that stops',
      'return isOpen(call) && !env.signal.aborted && !env.isDraining()',
      'return isOpen(call) && !env.signal.aborted',
    ],
    ['headless: the run goes on', 'scope.group.failure = ends', ''],
  ),
  ...inFile(
    'core/run-tool.ts',
    [
      'policy: a call that waits does not wait',
      "if (call.state.type === 'confirming' && !(await awaitConsent(call, scope))) return",
      "if (call.state.type === 'confirming') call.state = { type: 'announced' }",
    ],
    ['policy: what is denied runs', "if (verdict.type === 'deny') return yield* fail(verdict.reason)", ''],
    [
      'policy: whatever is decided runs',
      "verdict.type === 'allow' || hasConsent",
      "verdict.type !== 'deny' || hasConsent",
    ],
    [
      'digest: the policy sees the arguments before they are checked',
      'env.tools.judge(tool, input.value)',
      'env.tools.judge(tool, json)',
    ],
    ['digest: arguments run that were not checked', 'tool, input: input.value, attempt', 'tool, input: json, attempt'],
    [
      'edit: the model’s arguments run instead',
      'const text = call.consent?.arguments ?? call.arguments',
      'const text = call.arguments',
    ],
    [
      'edit: an old one is kept for the new question',
      '      call.consent = null\n      continue',
      '      call.arguments = call.consent.arguments\n      call.consent = null\n      continue',
    ],
    [
      'headless: somebody is asked',
      'if (env.headless) return yield* refuseHeadless',
      'if (!env) return yield* refuseHeadless',
    ],
    ['owner: a run that is no longer ours acts', 'if (!(await env.mayAct())) return', ''],
    [
      'once: a call of unknown outcome runs again',
      "if (begun > 0 && (tool?.replay !== 'safe' || begun >= ATTEMPTS))",
      'if (begun > 99)',
    ],
    [
      'sub-agent: it may use what it was not given',
      'mayUse(scope.loop, call.name) ? env.tools.find(call.name) : undefined',
      'env.tools.find(call.name)',
    ],
    [
      'edit: the model is not told',
      'if (!consent || consent.arguments === asked) return result',
      'if (consent || asked) return result',
    ],
    ['digest: the claim does not say what was agreed to', 'digest: call.consent?.digest ?? null', 'digest: null'],
  ),
  ...inFile(
    'core/settle-calls.ts',
    ['order: what comes after one that waits runs', "if (call.state.type === 'confirming') return\n", ''],
    [
      'order: what comes after one that was refused runs',
      'return yield* dropRest(calls.slice(index + 1), scope)',
      'continue',
    ],
    [
      'order: read-only calls that ask are asked for at once',
      '(env.tools.find(call.name)?.readOnly ?? true) && !asking.has(call)',
      'env.tools.find(call.name)?.readOnly ?? true',
    ],
    [
      'order: everything runs side by side',
      'const isSideBySide = (call: Call) => call.name === AGENT || isReadOnly(call)',
      'const isSideBySide = (_call: Call) => true',
    ],
    [
      'headless: others run on after the end',
      '|| env.isDraining() || scope.group.failure) return',
      '|| env.isDraining()) return',
    ],
    [
      'stop: the question stays open',
      "if (call.state.type === 'confirming') {\n      const { question_id }",
      "if (call.state.type === 'waiting') {\n      const { question_id } = { question_id: '' } as never; void 0\n      const { question_id: _q }",
    ],
    [
      'a call that waits does not pause the turn',
      "if (call.state.type === 'confirming') return asking(call.state.question_id)",
      '',
    ],
  ),
  ...inFile(
    'core/offer.ts',
    [
      'forged: what the model writes is a confirmation',
      'return question && JSON.stringify(question)',
      'return question && JSON.stringify({ ...(parseJson(text) as object), ...question })',
    ],
    ['headless: a call is announced as waiting', 'return !headless && tool !== undefined', 'return tool !== undefined'],
  ),
  ...inFile(
    'core/run-agent.ts',
    ['policy: a sub-agent that is denied starts', "if (verdict.type === 'deny') return verdict.reason", ''],
    [
      'policy: a sub-agent that should ask starts',
      "if (verdict.type === 'ask') return",
      "if (verdict.type === 'never') return",
    ],
    [
      'sub-agent: it gets more tools than its parent',
      '(tools ?? parent.tools).filter((name) => parent.tools!.includes(name))',
      'tools ?? parent.tools',
    ],
    ['headless: only the sub-agent ends', 'group.failure = outcome.error', 'void outcome.error'],
  ),
  ...inFile(
    'confirm/decide.ts',
    ['any answer agrees', "answer.selections['0']?.[0] === APPROVE", 'answer.tool_call_id.length > 0'],
    ['edit: a refused one is taken', "if (edited && 'problem' in edited)", "if (edited && 'nothing' in edited)"],
    ['edit: it is not stored', 'edited?.arguments ?? null', 'null'],
    [
      'once: who comes too late wins too',
      'if (!row) throw alreadyDecided(',
      'if (!row && !asked) throw alreadyDecided(',
    ],
  ),
  ...inFile(
    'confirm/decision.ts',
    ['a rejected call counts as agreed', "if (status === 'approved') return", "if (status !== 'pending') return"],
    [
      'expiry: consent is restored as fresh',
      'return { arguments: asked, digest, decided_at: decided_at ?? 0 }',
      'return { arguments: asked, digest, decided_at: Date.now() }',
    ],
    [
      'edit: an edited consent is restored as fresh',
      "callDigest(tool_name, edited) : '',\n    decided_at: decided_at ?? 0",
      "callDigest(tool_name, edited) : '',\n    decided_at: Date.now()",
    ],
    [
      'digest: an edit has the digest of the original',
      "digest: edited ? callDigest(tool_name, edited) : '',",
      'digest,',
    ],
    [
      'edit: the original is restored',
      'if (edited_arguments === null) return',
      'if (edited_arguments !== undefined) return',
    ],
    [
      'a rejection leaves the call open',
      "else book.settleCall(turn_id, { tool_call_id, status: 'cancelled', result: decision.reason })",
      '',
    ],
  ),
  ...inFile(
    'confirm/ask-consent.ts',
    [
      'expiry: it has no end',
      'expires_at ??= (yield* databaseNow()) + consentMs',
      'expires_at ??= (yield* databaseNow()) * 2',
    ],
    ['owner: the confirmation is nobody’s', 'loop_id, question_id, user_id }', 'loop_id, question_id, user_id: null }'],
    [
      'digest: the row has another one',
      'preview, digest: wanted.digest }',
      "preview, digest: wanted.digest.replace(/./, 'x') }",
    ],
  ),
  ...inFile('confirm/expire.ts', [
    'expiry: one that cannot be ended holds up the others',
    '      failures.push(error)\n',
    '      throw error\n',
  ]),
  ...inFile(
    'runs/drive/ask-for-consent.ts',
    ['stop: somebody is asked after it', 'if (stop_requested) return true', ''],
    ['stop: the run is not stopped', "active.stop('stop')", ''],
  ),
  ...inFile(
    'runs/drive/apply-commands.ts',
    [
      'a refused call is open again',
      "return { type: 'refused', reason: decision.reason }",
      "return { type: 'unasked' }",
    ],
    ['the consent is lost on its way', "{ type: 'agreed', consent: decision.consent }", "{ type: 'unasked' }"],
    [
      'expiry: what was answered expires',
      "if (asked?.call.status !== 'awaiting_answer') return nothing",
      'if (!asked) return nothing',
    ],
    ['expiry: it agrees', "{ type: 'refused', reason: EXPIRED }", "{ type: 'unasked' }"],
  ),
  ...inFile(
    'runs/restore/restore.ts',
    [
      'a rejected call is restored as agreed',
      "asked?.status === 'approved' ? consentOf(asked) : null",
      'asked ? consentOf(asked) : null',
    ],
    [
      'a call that waits is restored as open',
      "if (question?.status === 'awaiting_answer')",
      "if (question?.status === 'error')",
    ],
    [
      'once: a claimed call is restored as open',
      "if (attempt !== undefined) return { ...call, consent, state: { type: 'claimed', attempt } }",
      '',
    ],
  ),
  ...inFile(
    'runs/accept/answers.ts',
    ['once: a settled question is answered again', "asked.call.status !== 'awaiting_answer' || ", ''],
    [
      'the call itself is taken for its question',
      " || !isSpecialTool(asked.call.tool_name, 'AskUserQuestion'))\n    throw",
      ')\n    throw',
    ],
    [
      'an answer need not fit',
      'if (errors.length > 0) throw invalidAnswer',
      'if (errors.length > 99) throw invalidAnswer',
    ],
  ),
  ...inFile(
    'runs/waiting.ts',
    [
      'withdrawal: what waited stays open',
      "if (result !== null) book.settleCall(turn.turn_id, { tool_call_id: call.id, status: 'cancelled', result })",
      'if (result !== null) continue',
    ],
    [
      'order: the call is closed before its question',
      'return [...open.filter(asksConsent), ...open.filter((call) => !asksConsent(call))]',
      'return open',
    ],
    [
      'expiry: the session keeps waiting',
      "const status = 'interrupted' satisfies SessionStatus",
      "const status: SessionStatus = 'waiting_for_input'",
    ],
  ),
  ...inFile(
    'runs/accept/accept-message.ts',
    ['withdrawal: the confirmations stay pending', 'yield* withdrawConfirmations(session.id, user_id)\n', ''],
    ['withdrawal: the questions stay open', "  closeWaiting(book, 'withdrawn')\n", ''],
  ),
  ...inFile(
    'runs/accept/answer-command.ts',
    [
      'once: every answer to a run under way is stored',
      'id: `answer:${tool_call_id}`',
      'id: `answer:${tool_call_id}:${Math.random()}`',
    ],
    ['once: who comes too late is told ok', '  if (!isFirst)\n', '  if (!isFirst && !run_id)\n'],
    ['a run under way does not learn the decision', '...(decision && { decision }),', ''],
  ),
  ...inFile(
    'runs/expire-confirmations.ts',
    [
      'expiry: the run is told nothing',
      'yield* storeCommand({ session_id, id: `expire:${id}`',
      'if (!gate) yield* storeCommand({ session_id, id: `expire:${id}`',
    ],
    ['expiry: the question stays open', 'if (book.has(turn_id)) writeExpiry(', 'if (!book) writeExpiry('],
    ['expiry: the run goes on though somebody is asked', 'if (!isAsking(book)) {', 'if (book) {'],
  ),
  ...inFile(
    'runs/drive/end-run.ts',
    [
      'end: a run that ended leaves confirmations pending',
      'if (!isWaiting) yield* withdrawConfirmations(session.id, run.principal)',
      '',
    ],
    [
      'end: a run that waits withdraws its own',
      'if (!isWaiting) yield* withdrawConfirmations',
      'yield* withdrawConfirmations',
    ],
  ),
  ...inFile('sessions/decide.ts', [
    'REST: who comes too late is not told the decision',
    'throw isLate ? alreadyDecided(await demandConfirmation(engine, principal, id)) : error',
    'throw error',
  ]),
  ...inFile('sessions/stop.ts', [
    'stop: a confirmation that waits stays pending',
    '  yield* withdrawConfirmations(session_id, user_id)\n',
    '',
  ]),
  ...inFile('faces/native/rest/confirmation-routes.ts', [
    'REST: the list ignores its filter',
    'sessions.confirmations(principalOf(request), { status, limit, offset })',
    'sessions.confirmations(principalOf(request), { status: undefined, limit, offset })',
  ]),
  ...inFile(
    'http/parse.ts',
    [
      'a slip in a payload of our own is ignored',
      'const refused = unknown.filter(isRefused)',
      'const refused = [] as typeof unknown',
    ],
    ['a slip in an answer’s edit is ignored', "return isRefused || nearest === 'edited_arguments'", 'return isRefused'],
  ),
  ...inFile(
    'tools/registry.ts',
    [
      'policy: a tool nobody knows is allowed',
      "if (!definition) return { type: 'deny'",
      "if (!definition) return { type: 'allow'",
    ],
    [
      'headless: the policy is not told',
      'const circumstances = { isHeadless, isNamed }',
      'const circumstances = { isHeadless: false && isHeadless, isNamed }',
    ],
  ),
]
