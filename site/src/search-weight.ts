/** A thousand pages of providers, and the reasons of decisions, would drown the guides in the results of a search. */
export const searchWeightOf = (id: string): number =>
  /^(providers|decisions)\//.test(id) || id === 'changelog' ? 0.1 : 1;
