import type { Combo, Connection, CustomModel, ModelAliases } from './routing-inputs.ts'

/**
 * The source of the model list inputs. Each load may fail independently: the list is then built
 * without it (docs/contract/model-list.md, "Loading the inputs").
 */
export interface RoutingSource {
  /** All connections, active or not, in any order, with decrypted keys. */
  connections(): Promise<readonly Connection[]>
  /** In list order. */
  combos(): Promise<readonly Combo[]>
  /** In list order. */
  customModels(): Promise<readonly CustomModel[]>
  modelAliases(): Promise<ModelAliases>
}
