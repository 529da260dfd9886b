"""`GpuEngine`: chains, coupled chains, annealing runs and populations on a graphics processor."""

from __future__ import annotations

from arcwise import _core
from arcwise.engines import AnnealedRuns, AnnealingJob, ChainJob, Chains, Threads
from arcwise.gpu.annealing import DeviceAnnealedRuns, DevicePopulations
from arcwise.gpu.device import KernelDevice
from arcwise.gpu.device_chains import DeviceChains
from arcwise.gpu.order_chains import DeviceTables, OrderTables
from arcwise.gpu.tempering import DeviceTemperedChains


class GpuEngine(Threads):
    """Runs chains on a device, and everything else in the threads of this process."""

    def __init__(self, device: KernelDevice, weights: _core.FamilyTable) -> None:
        self._device = device
        self._tables = DeviceTables(device, OrderTables.of(weights))

    def __repr__(self) -> str:
        """Show the device."""
        return f"GpuEngine({self._device.name!r})"

    @property
    def fewest_runs_at_once(self) -> int:
        """The number of runs that fills the threads of every multiprocessor."""
        return 512 * self._device.multiprocessors

    def chains(self, job: ChainJob) -> Chains:
        """Return chains on the device."""
        if len(job.options.path) > 1:
            return DeviceTemperedChains(self._tables, job)
        return DeviceChains(self._tables, job)

    def annealed_runs(self, job: AnnealingJob) -> AnnealedRuns:
        """Return annealing runs on the device."""
        if job.options.population > 1 or job.options.steps_by_temperature:
            return DevicePopulations(self._tables, job)
        return DeviceAnnealedRuns(self._tables, job)
