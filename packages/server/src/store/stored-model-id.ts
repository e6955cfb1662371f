/** A model of a configuration that lies in the database, as sessions and runs name it: `config:3/gpt-5`. */
export type StoredModelId = { config_id: number; model_id: string }

const FORM = /^config:(\d{1,15})\/(.+)$/s

export function storedModelId({ config_id, model_id }: StoredModelId): string {
  return `config:${config_id}/${model_id}`
}

/** `undefined`: the name of another model. */
export function readStoredModelId(id: string): StoredModelId | undefined {
  const [, config_id, model_id] = FORM.exec(id) ?? []
  return model_id === undefined ? undefined : { config_id: Number(config_id), model_id }
}
