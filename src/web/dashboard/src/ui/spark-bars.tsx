import styles from './spark-bars.module.css';

export type SparkPoint = {
  readonly key: string;
  readonly success: number;
  readonly gatewayErrors: number;
  readonly providerErrors: number;
};

const WIDTH = 6;
const GAP = 1.5;
const HEIGHT = 24;

/** A bar for each step of time, of calls by outcome. The numbers stand beside it, so it is hidden from screen readers. */
export function SparkBars({ points }: { points: readonly SparkPoint[] }) {
  const most = Math.max(1, ...points.map((point) => total(point)));
  const width = points.length * (WIDTH + GAP);
  return (
    <svg
      className={styles.spark}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
      height={HEIGHT}
      aria-hidden="true"
    >
      {points.map((point, index) => (
        <Bar key={point.key} point={point} x={index * (WIDTH + GAP)} scale={HEIGHT / most} />
      ))}
    </svg>
  );
}

function Bar({ point, x, scale }: { point: SparkPoint; x: number; scale: number }) {
  if (total(point) === 0)
    return <rect className={styles.none} x={x} y={HEIGHT - 1} width={WIDTH} height={1} />;
  const success = point.success * scale;
  const gateway = point.gatewayErrors * scale;
  const provider = point.providerErrors * scale;
  return (
    <>
      <rect className={styles.success} x={x} y={HEIGHT - success} width={WIDTH} height={success} />
      <rect className={styles.gateway} x={x} y={HEIGHT - success - gateway} width={WIDTH} height={gateway} />
      <rect
        className={styles.provider}
        x={x}
        y={HEIGHT - success - gateway - provider}
        width={WIDTH}
        height={provider}
      />
    </>
  );
}

function total({ success, gatewayErrors, providerErrors }: SparkPoint): number {
  return success + gatewayErrors + providerErrors;
}
