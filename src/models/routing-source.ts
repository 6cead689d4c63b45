import type { Combo, Connection, CustomModel, ModelAliases } from './routing-inputs.ts'

/**
 * Where the model list loads what it is built from. Each load may fail on its own: the list then
 * goes on without it (docs/contract/model-list.md, "Loading the inputs").
 */
export interface RoutingSource {
  /** All connections, active or not, in any order, with their keys in the clear. */
  connections(): Promise<readonly Connection[]>
  /** In the order in which they are listed. */
  combos(): Promise<readonly Combo[]>
  /** In the order in which they are listed. */
  customModels(): Promise<readonly CustomModel[]>
  modelAliases(): Promise<ModelAliases>
}
