/** The loop of the main agent; sub-agents have `agent:` and 8 hex digits. */
export const ROOT_LOOP = 'root'
