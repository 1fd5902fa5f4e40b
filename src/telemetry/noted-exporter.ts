import type { NoteDelivery } from './delivery-notes.ts';

/** An exporter of OpenTelemetry's, of whichever signal. */
type Exporter<Items> = {
  export(items: Items, callback: (result: Parameters<NoteDelivery>[0]) => void): void;
  shutdown(): Promise<void>;
  forceFlush(): Promise<void>;
};

/** Hands everything on to an exporter, and notes what became of each request to the collector. */
export class NotedExporter<Items> implements Exporter<Items> {
  readonly #exporter: Exporter<Items>;
  readonly #note: NoteDelivery;

  constructor(exporter: Exporter<Items>, note: NoteDelivery) {
    this.#exporter = exporter;
    this.#note = note;
  }

  export(...[items, callback]: Parameters<Exporter<Items>['export']>): void {
    this.#exporter.export(items, (result) => {
      this.#note(result);
      callback(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush();
  }
}
